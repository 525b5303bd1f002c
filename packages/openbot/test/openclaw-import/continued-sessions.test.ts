/** A second import: what OpenClaw has added since the first one. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { lookIntoSessionStore } from '@openbot/sessions';
import { openclawLayoutOf } from '@openbot/sessions/layout';
import { withTranscriptLock } from '@openbot/sessions/transcript';
import { expect, it } from 'vitest';
import { copySessions } from '../../src/openclaw-import/copy-sessions.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';
import { addDatabaseFixture, addFileFixture, makeOpenclawHome, type OpenclawHome } from './openclaw-home.ts';

/** The session agent:main:main of OpenClaw 2026.7.35, and another one. */
const MAIN = 'c08003b6-0d03-422c-a73d-4631a34efc6c.jsonl';
const THINK = '393b2f9e-21b3-4832-bdde-ba00cccf047c.jsonl';

function makeTarget({ stateDir: from }: OpenclawHome) {
  const stateDir = join(makeTempFolder(), 'state');
  const source = openclawLayoutOf(from, undefined, { env: {}, cwd: '/' });
  const folder = join(stateDir, 'agents/main/sessions');
  const storePath = join(folder, 'sessions.json');
  return {
    copy: (dryRun = false) => copySessions({ source, stateDir, env: {}, dryRun }, 'main'),
    pathOf: (name: string) => join(folder, name),
    read: (name: string) => readFileSync(join(folder, name), 'utf8'),
    entryOf: (key: string) => lookIntoSessionStore(storePath)!.find((one) => one.key === key)!.entry,
    editStore: (change: (store: Record<string, Record<string, unknown>>) => void) => {
      const store = JSON.parse(readFileSync(storePath, 'utf8'));
      change(store);
      writeFileSync(storePath, JSON.stringify(store));
    },
  };
}

const LINE =
  '{"type":"message","id":"ffffffff","parentId":null,"message":{"role":"user","content":"more"}}\n';

it('a file that OpenClaw continued is continued here; what a person set here stays', async () => {
  const home = makeOpenclawHome();
  addFileFixture(home);
  const target = makeTarget(home);
  await target.copy();
  target.editStore((store) => {
    store['agent:main:main']!.label = 'mine';
  });
  const there = home.sessionsDirOf('main');
  appendFileSync(join(there, MAIN), LINE);
  const store = JSON.parse(readFileSync(join(there, 'sessions.json'), 'utf8'));
  Object.assign(store['agent:main:main'], {
    totalTokens: 4711,
    updatedAt: 1_900_000_000_000,
    label: 'theirs',
  });
  writeFileSync(join(there, 'sessions.json'), JSON.stringify(store));
  const before = home.state();
  const dry = await target.copy(true);
  expect(target.read(MAIN)).not.toContain('"more"');
  const copied = await target.copy();
  expect(dry).toEqual(copied);
  expect(copied).toMatchObject({ transcripts: 0, entries: 0, updated: 1, existing: 9 });
  expect(target.read(MAIN)).toBe(readFileSync(join(there, MAIN), 'utf8'));
  expect(target.entryOf('agent:main:main')).toMatchObject({
    ...{ totalTokens: 4711, updatedAt: 1_900_000_000_000, label: 'mine' },
  });
  expect(home.state()).toEqual(before);
  expect(await target.copy()).toMatchObject({ updated: 0, existing: 10 });
});

it('one that was continued here stays, and is named where OpenClaw continued it too', async () => {
  const home = makeOpenclawHome();
  addFileFixture(home);
  const target = makeTarget(home);
  await target.copy();
  for (const name of [MAIN, THINK]) appendFileSync(target.pathOf(name), LINE.replace('more', 'said here'));
  appendFileSync(join(home.sessionsDirOf('main'), MAIN), LINE);
  const here = target.read(MAIN);
  const { leftOut, ...copied } = await target.copy();
  expect(copied).toMatchObject({ updated: 0, existing: 10 });
  expect(target.read(MAIN)).toBe(here);
  expect(leftOut.filter(({ what }) => what.startsWith('agent:'))).toEqual([
    { what: 'agent:main:main', why: expect.stringContaining('stays as it is here') },
  ]);
});

it('one that is in use here is named, and is continued by the next import; a copy that was cut off too', async () => {
  const home = makeOpenclawHome();
  addFileFixture(home);
  const target = makeTarget(home);
  await target.copy();
  const there = join(home.sessionsDirOf('main'), MAIN);
  appendFileSync(there, LINE);
  await withTranscriptLock(target.pathOf(MAIN), async () => {
    const { leftOut, updated } = await target.copy();
    expect([updated, leftOut]).toEqual([
      0,
      expect.arrayContaining([
        { what: 'agent:main:main', why: expect.stringContaining('what OpenClaw added') },
      ]),
    ]);
  });
  appendFileSync(target.pathOf(MAIN), LINE.slice(0, 10));
  expect(await target.copy()).toMatchObject({ updated: 1 });
  expect(target.read(MAIN)).toBe(readFileSync(there, 'utf8'));
});

it('a session of a database is continued by its new rows', async () => {
  const home = makeOpenclawHome();
  addDatabaseFixture(home);
  const target = makeTarget(home);
  const database = new DatabaseSync(home.databaseOf('main'));
  const sessionId = '5ae5f53e-1a33-4851-aa5f-78e1df28e50b';
  const name = `${sessionId}.jsonl`;
  // OpenClaw writes the last row between the two imports.
  const row = database
    .prepare('SELECT * FROM transcript_events WHERE session_id = ? ORDER BY seq DESC LIMIT 1')
    .get(sessionId) as Record<string, string | number | null>;
  database.prepare('DELETE FROM transcript_events WHERE session_id = ? AND seq = ?').run(sessionId, row.seq!);
  await target.copy();
  const first = target.read(name);
  const columns = Object.keys(row);
  database
    .prepare(`INSERT INTO transcript_events (${columns}) VALUES (${columns.map(() => '?')})`)
    .run(...Object.values(row));
  database.close();
  expect(await target.copy()).toMatchObject({ transcripts: 0, updated: 1 });
  expect(target.read(name).startsWith(first)).toBe(true);
  expect(target.read(name).slice(first.length).split('\n')).toHaveLength(2);
  expect(await target.copy()).toMatchObject({ updated: 0 });
});
