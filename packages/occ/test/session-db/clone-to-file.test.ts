/** A clone of a session in a database as a file. */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SessionManager } from '@earendil-works/pi-coding-agent';
import { beforeEach, expect, test } from 'vitest';
import { HUNT, sample } from '../../../../test/setup/hunt.ts';
import { takeFileSnapshot } from '../commands/snapshot.ts';
import { listDiskCalls, runOccWithFault } from '../setup/faults.ts';
import { startChild } from '../setup/start-child.ts';
import { type Json, readRefusal } from './database-home.ts';
import { changeDatabase, readLinesOf } from './look-into.ts';
import { ID, makeTalkingHome, type TalkingHome } from './talking-home.ts';

const HOLDER = new URL('./children/hold-database.mjs', import.meta.url);

let home: TalkingHome;
let target: string;
beforeEach(() => {
  home = makeTalkingHome();
  target = join(home.folder, 'clone.jsonl');
});

const readClone = () => readFileSync(target, 'utf8').split('\n').slice(0, -1);

test('its lines are those of the session, but for the header; the database is not touched', async () => {
  const before = takeFileSnapshot(home.folder);
  const done = await home.json('clone', ID, '--output', target);
  expect(done).toMatchObject({ sourceSessionId: ID, clonedSessionPath: target });
  expect(done).not.toHaveProperty('sessionKey');
  expect(done).not.toHaveProperty('resumeCommand');
  const [header, ...lines] = readClone();
  const [oldHeader, ...old] = home.file().split('\n').slice(0, -1);
  expect(lines).toEqual(old);
  expect(JSON.parse(header!)).toEqual({
    ...JSON.parse(oldHeader!),
    id: done.clonedSessionId,
    clonedFrom: ID,
    clonedAt: expect.any(String),
  });
  expect(statSync(target).mode & 0o777).toBe(0o600);
  expect(done.statistics.sizeCloned).toBe(statSync(target).size);
  const { 'clone.jsonl': _, ...rest } = takeFileSnapshot(home.folder);
  expect(rest).toEqual(before);
});

test('with --no-register it is the same, and cleaned it is what an edit would have left', async () => {
  await home.json('clone', ID, '--output', target, '--no-register', '--strip-tools=extreme');
  const [, ...lines] = readClone();
  await home.edit('--strip-tools=extreme');
  expect(lines).toEqual(home.file().split('\n').slice(1, -1));
});

test('occ reads it as a session, and pi opens it with the same conversation', async () => {
  const { clonedSessionId } = await home.json('clone', ID, '--output', target);
  expect(await home.json('info', target)).toMatchObject({ sessionId: clonedSessionId, path: target });
  const opened = SessionManager.open(target);
  expect(opened.getSessionId()).toBe(clonedSessionId);
  const messages = home
    .file()
    .split('\n')
    .slice(0, -1)
    .flatMap((line) => (JSON.parse(line) as Json).message ?? []);
  expect(opened.buildSessionContext().messages.map(({ role }) => role)).toEqual(
    messages.map(({ role }) => role),
  );
});

test('an existing file is not changed, also by a dry run', async () => {
  writeFileSync(target, 'mine\n');
  mkdirSync(join(home.folder, 'folder.jsonl'));
  const exists = (path: string) => ({
    code: 'CLONE_FAILED',
    message: `Failed to write ${path}: it already exists`,
  });
  for (const [path, error] of [
    [target, exists(target)],
    [join(home.folder, 'folder.jsonl'), exists(join(home.folder, 'folder.jsonl'))],
    [home.path, { code: 'USAGE' }],
  ] as const) {
    const before = takeFileSnapshot(home.folder);
    for (const flags of [[], ['--dry-run']])
      expect(await home.refused('clone', ID, '--output', path, ...flags)).toMatchObject(error);
    expect(takeFileSnapshot(home.folder)).toEqual(before);
  }
});

test('a dry run leaves nothing', async () => {
  const before = takeFileSnapshot(home.folder);
  const planned = await home.json('clone', ID, '--output', target, '--dry-run');
  expect(planned.statistics.sizeCloned).toBeGreaterThan(0);
  expect(takeFileSnapshot(home.folder)).toEqual(before);
});

test('does not wait for another writer of the database', async () => {
  const holder = startChild(HOLDER, [home.path]);
  await holder.said('held');
  await home.json('clone', ID, '--output', target);
  expect(readClone().slice(1)).toEqual(home.file().split('\n').slice(1, -1));
  holder.tell('let-go');
  expect(await holder.ended).toBe(0);
});

test('a session of a structure that is not known is refused in the database and goes to a file', async () => {
  const last = readLinesOf(home.path, ID).at(-1)!;
  changeDatabase(
    home.path,
    `UPDATE transcript_events SET event_json = 'no JSON', event_utf8_bytes = 7, event_zstd = NULL, navigation_json = NULL
     WHERE session_id = '${ID}' AND seq = ${last.seq}`,
  );
  for (const flags of [[], ['--dry-run']])
    expect(await home.refused('clone', ID, ...flags)).toMatchObject({
      code: 'SESSION_UNSUPPORTED',
      hint: expect.stringContaining('clone -o'),
    });
  await home.json('clone', ID, '-o', target);
  expect(readClone().at(-1)).toBe('no JSON');
  expect(readClone().slice(1)).toEqual(home.file().split('\n').slice(1, -1));
});

test.each([
  [
    'cannot be read',
    `event_json = 'no JSON', event_utf8_bytes = 7, event_zstd = NULL, navigation_json = NULL`,
  ],
  ['is of another line', `event_json = '{"type":"custom"}', event_zstd = NULL, navigation_json = NULL`],
])('a line that others hang from and that %s: refused, and all lines go to a file', async (_, change) => {
  const [, , , line] = readLinesOf(home.path, ID);
  changeDatabase(
    home.path,
    `UPDATE transcript_events SET ${change} WHERE session_id = '${ID}' AND seq = ${line!.seq}`,
  );
  expect(await home.refused('edit', ID, '--keep', '1')).toMatchObject({ code: 'SESSION_UNSUPPORTED' });
  await home.json('clone', ID, '-o', target);
  expect(readClone().slice(1)).toEqual(home.file().split('\n').slice(1, -1));
  rmSync(target);
  await home.json('clone', ID, '-o', target, '--strip-tools=extreme');
});

test('a record of the conversation that differs from its lines does not prevent a clone to a file', async () => {
  changeDatabase(
    home.path,
    `UPDATE session_transcript_index_state SET leaf_event_id = '${ID}' WHERE session_id = '${ID}'`,
  );
  expect(await home.refused('clone', ID)).toMatchObject({ code: 'SESSION_UNSUPPORTED' });
  await home.json('clone', ID, '-o', target);
  expect(readClone().slice(1)).toEqual(home.file().split('\n').slice(1, -1));
});

test('a database in no agent folder has no key for a clone, but a file can be made of it', async () => {
  const lonely = join(home.folder, 'lonely.sqlite');
  copyFileSync(home.path, lonely);
  for (const flags of [[], ['--dry-run']])
    expect(await home.refused('clone', lonely, ...flags)).toMatchObject({
      code: 'USAGE',
      message: expect.stringContaining('not in the folder of an agent'),
      hint: expect.stringContaining('--output'),
    });
  expect(await home.json('clone', lonely, '-o', target)).toMatchObject({ sourceSessionId: ID });
  expect(readdirSync(home.folder).sort()).toEqual(['.openclaw', 'clone.jsonl', 'lonely.sqlite']);
});

test('a disk that fails at any call leaves no file, or the whole clone', HUNT, async () => {
  const args = ['clone', ID, '--output', target, '--json'];
  const { calls } = await listDiskCalls(args, { under: home.folder }, { env: home.env });
  const whole = readClone().slice(1);
  rmSync(target);
  expect(calls.length).toBeGreaterThan(5);
  const opened = calls.flatMap((call) => /^open .*[/](.*)$/.exec(call)?.[1] ?? []);
  expect(opened).toEqual([expect.stringMatching(/^clone\.jsonl\.\d+\.[0-9a-f-]{36}\.tmp$/)]);
  for (const [index, call] of sample([...calls.entries()], { gate: 4 })) {
    const fault = { at: index + 1, strike: 'EIO', under: home.folder } as const;
    const ran = await runOccWithFault(args, fault, { env: home.env });
    if (ran.code === 0) {
      expect(readClone().slice(1), call).toEqual(whole);
      // What could not be taken away is known by its name as something that nobody needs.
      for (const name of readdirSync(home.folder)) if (name !== '.openclaw') rmSync(join(home.folder, name));
    } else {
      expect(readRefusal(ran).code, call).toBe('CLONE_FAILED');
      expect(readdirSync(home.folder), call).toEqual(['.openclaw']);
    }
  }
});
