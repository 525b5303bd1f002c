/** A session that is gone while backups of it are there: the error says where they are and what can be done. */
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { resolveSession } from '../../src/sources/resolve-session.ts';
import { putDatabase } from './database-place.ts';
import { header, makeHome, placeAt, put, sessionsFolder, uuid } from './place.ts';

const GONE = uuid('1');
const OTHER = uuid('2');

async function hintFor(home: string, name: string, more = {}): Promise<string> {
  const error = await resolveSession(placeAt(home, more), name).then(
    () => expect.unreachable(),
    (failure) => failure,
  );
  expect(error.code).toBe('SESSION_NOT_FOUND');
  return error.hint;
}

/** Does what the hint says. */
function follow(hint: string): void {
  const [, from, to] = /: cp (\S+) (\S+\.jsonl)/.exec(hint)!;
  cpSync(from!, to!);
}

test('in a database: by id, by the beginning of one and by key', async () => {
  const home = makeHome();
  const folder = sessionsFolder(home);
  putDatabase(home, [
    { sessionId: OTHER, key: 'agent:main:main' },
    { sessionId: GONE, key: 'agent:main:gone', lines: false },
  ]);
  for (const number of [2, 10]) put(join(folder, `${GONE}.backup.${number}.jsonl`), header(GONE));
  for (const name of [GONE, GONE.slice(0, 8), 'agent:main:gone', join(folder, `${GONE}.jsonl`)]) {
    expect(await hintFor(home, name)).toContain(join(folder, `${GONE}.backup.10.jsonl`));
  }
  const hint = await hintFor(home, GONE);
  expect(hint).toContain('OpenClaw itself reads its database');
  follow(hint);
  expect((await resolveSession(placeAt(home), GONE)).session.sessionId).toBe(GONE);
});

test('deleted altogether, in files, of every program', async () => {
  const home = makeHome();
  const places = {
    openclaw: sessionsFolder(home),
    claude: join(home, '.claude/projects/-ws'),
    pi: join(home, '.pi/agent/sessions/--ws--/backups'),
  };
  for (const [source, folder] of Object.entries(places)) {
    const stem = source === 'pi' ? `2026-01-01T00-00-00-000Z_${GONE}` : GONE;
    put(join(folder, `${stem}.backup.1.jsonl`), header(GONE));
    const hint = await hintFor(home, GONE, { source });
    expect(hint).toContain(join(folder, `${stem}.backup.1.jsonl`));
    expect(hint).not.toContain('database');
    if (source === 'claude') continue;
    follow(hint);
    expect((await resolveSession(placeAt(home, { source } as object), GONE)).session).toMatchObject({
      sessionId: GONE,
      source,
    });
    rmSync(join(home, source === 'pi' ? '.pi' : '.openclaw'), { recursive: true });
  }
});

test('a name that could mean several, and one without backups, says nothing of any', async () => {
  const home = makeHome();
  const folder = sessionsFolder(home);
  for (const id of ['aaaa-1', 'aaaa-2']) put(join(folder, `${id}.backup.1.jsonl`), header(id));
  expect(await hintFor(home, 'aaaa')).not.toContain('backup');
  expect(await hintFor(home, 'bbbb')).not.toContain('backup');
  expect(await hintFor(home, join(folder, 'aaaa.jsonl'))).not.toContain('cp ');
  expect(await hintFor(home, join(folder, 'aaaa-1.jsonl'))).toContain('cp ');
});
