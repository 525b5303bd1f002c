/** A session that is gone while backups of it are there: the error says where they are and what can be done. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { findDatabaseFaults } from '../../../sessions/test/openclaw-db/setup/check-database.ts';
import { resolveSession } from '../../src/finding/resolve-session.ts';
import type { FoundSession } from '../../src/storage/contract/found-session.ts';
import { readAsFile } from '../session-db/look-into.ts';
import { runOccHere } from '../setup/run-occ.ts';
import { putDatabase } from './database.ts';
import {
  callLine,
  header,
  makeHome,
  put,
  resultLine,
  scopeAt,
  sessionsFolder,
  userLine,
  uuid,
} from './home.ts';

const GONE = uuid('1');
const OTHER = uuid('2');

async function hintFor(home: string, name: string, more = {}): Promise<string> {
  const error = await resolveSession(scopeAt(home, more), name).then(
    () => expect.unreachable(),
    (failure) => failure,
  );
  expect(error.code).toBe('SESSION_NOT_FOUND');
  return error.hint;
}

/** Does what the hint says, and looks at what the list shows then. */
async function follow(home: string, hint: string, source = 'openclaw') {
  const [, path] = /: occ clone (\S+)$/.exec(hint)!;
  const env = { HOME: home };
  const made = await runOccHere(['clone', path!, '--json'], { env, cwd: home });
  expect(made).toMatchObject({ code: 0, stderr: '' });
  const { clonedSessionId, sourceSessionId, sourceBackupPath } = JSON.parse(made.stdout);
  expect({ sourceSessionId, sourceBackupPath }).toEqual({ sourceSessionId: GONE, sourceBackupPath: path });
  const listed = await runOccHere(['list', '--source', source, '--json'], { env, cwd: home });
  const found = (JSON.parse(listed.stdout) as FoundSession[]).find(
    ({ sessionId }) => sessionId === clonedSessionId,
  )!;
  expect(found).toMatchObject({ source });
  return found;
}

const LINES = [userLine('hello'), callLine({ id: 'c1', arguments: { command: 'ls' } }), resultLine('c1')];

const speech = (text: string) => text.split('\n').slice(1).join('\n');

test('in a database: by id, by the beginning of one and by key', async () => {
  const home = makeHome();
  const folder = sessionsFolder(home);
  const database = putDatabase(home, [
    { sessionId: OTHER, key: 'agent:main:main' },
    { sessionId: GONE, key: 'agent:main:gone', lines: false },
  ]);
  put(join(folder, 'backups', `${GONE}.backup.2.jsonl`), header(GONE));
  const newest = put(join(folder, 'backups', `${GONE}.backup.10.jsonl`), header(GONE) + LINES.join(''));
  for (const name of [GONE, GONE.slice(0, 8), 'agent:main:gone', join(folder, `${GONE}.jsonl`)]) {
    expect(await hintFor(home, name)).toContain(newest);
  }
  const found = await follow(home, await hintFor(home, GONE));
  expect(found).toMatchObject({ storage: 'sqlite', path: database, agentId: 'main' });
  expect(found.sessionKey).toBe(`agent:main:clone:${found.sessionId}`);
  expect(speech(readAsFile(database, found.sessionId))).toBe(LINES.join(''));
  expect(findDatabaseFaults(database)).toEqual([]);
});

test('in a database: the original too, cleaned where that is asked for, and to a file', async () => {
  const home = makeHome();
  const folder = sessionsFolder(home);
  const database = putDatabase(home, [{ sessionId: OTHER, key: 'agent:main:main' }]);
  const packed = join(folder, 'backups', `${GONE}.original.jsonl.zst`);
  mkdirSync(dirname(packed), { recursive: true });
  writeFileSync(packed, zstdCompressSync(`${header(GONE)}${LINES.join('')}`));
  const env = { HOME: home };
  const refused = await runOccHere(['info', packed, '--json'], { env, cwd: home });
  const found = await follow(home, JSON.parse(refused.stderr).error.hint);
  expect(speech(readAsFile(database, found.sessionId))).toBe(LINES.join(''));
  expect(readdirSync(dirname(packed))).toEqual([`${GONE}.original.jsonl.zst`]);
  const output = join(home, 'out.jsonl');
  const made = await runOccHere(['clone', packed, '-o', output, '--json'], { env, cwd: home });
  expect(made.code).toBe(0);
  expect(speech(readFileSync(output, 'utf8'))).toBe(LINES.join(''));
  const planned = await runOccHere(['clone', packed, '--strip-tools=extreme', '--dry-run', '--json'], {
    env,
    cwd: home,
  });
  expect(JSON.parse(planned.stdout)).toMatchObject({ dryRun: true, sourceBackupPath: packed });
});

test('in a database: a backup that it cannot hold is refused, and goes to a file', async () => {
  const home = makeHome();
  const path = join(sessionsFolder(home), 'backups', `${GONE}.backup.1.jsonl`);
  putDatabase(home, [{ sessionId: OTHER, key: 'agent:main:main' }]);
  put(path, `${header(GONE)}${LINES.join('')}{"broken\n`);
  const env = { HOME: home };
  const refused = await runOccHere(['clone', path, '--json'], { env, cwd: home });
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('line 5 cannot be read');
  const output = join(home, 'out.jsonl');
  expect((await runOccHere(['clone', path, '-o', output, '--json'], { env, cwd: home })).code).toBe(0);
  expect(readFileSync(output, 'utf8')).toContain('{"broken\n');
});

const CLAUDE_LINES = `${JSON.stringify({ type: 'user', uuid: 'u1', parentUuid: null, sessionId: GONE, message: { role: 'user', content: 'hello' } })}\n`;

test.each([
  ['openclaw', (home: string) => sessionsFolder(home), GONE],
  ['claude', (home: string) => join(home, '.claude/projects/-ws'), GONE],
  ['pi', (home: string) => join(home, '.pi/agent/sessions/--ws--'), `2026-01-01T00-00-00-000Z_${GONE}`],
])('deleted altogether, in files of %s', async (source, folderIn, stem) => {
  const home = makeHome();
  const folder = folderIn(home);
  const isClaude = source === 'claude';
  const lines = isClaude ? CLAUDE_LINES : header(GONE) + LINES.join('');
  const path = put(join(folder, 'backups', `${stem}.backup.1.jsonl`), lines);
  const hint = await hintFor(home, GONE, { source });
  expect(hint).toContain(path);
  const found = await follow(home, hint, source);
  expect(dirname(found.path)).toBe(folder);
  const made = readFileSync(found.path, 'utf8');
  if (isClaude) expect(made.replaceAll(found.sessionId, GONE).startsWith(lines)).toBe(true);
  else expect(speech(made)).toBe(LINES.join(''));
  if (source === 'openclaw') expect(found.sessionKey).toBe(`agent:main:clone:${found.sessionId}`);
});

test('of a session that is there, beside it as in earlier versions', async () => {
  const home = makeHome();
  const folder = sessionsFolder(home);
  put(join(folder, `${GONE}.jsonl`), header(GONE));
  const path = put(join(folder, `${GONE}.backup.1.jsonl`), header(GONE) + LINES.join(''));
  const refused = await runOccHere(['info', path, '--json'], { env: { HOME: home }, cwd: home });
  const { hint } = JSON.parse(refused.stderr).error;
  expect(hint).toContain(`occ restore ${join(folder, `${GONE}.jsonl`)} --backup 1`);
  const found = await follow(home, hint);
  expect(speech(readFileSync(found.path, 'utf8'))).toBe(LINES.join(''));
});

test('a name that could mean several, and one without backups, says nothing of any', async () => {
  const home = makeHome();
  const folder = sessionsFolder(home);
  for (const id of ['aaaa-1', 'aaaa-2']) put(join(folder, `${id}.backup.1.jsonl`), header(id));
  expect(await hintFor(home, 'aaaa')).not.toContain('backup');
  expect(await hintFor(home, 'bbbb')).not.toContain('backup');
  expect(await hintFor(home, join(folder, 'aaaa.jsonl'))).not.toContain('occ clone ');
  expect(await hintFor(home, join(folder, 'aaaa-1.jsonl'))).toContain('occ clone ');
});
