/** What `occ restore` takes, prints and refuses for a session in a database. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { LONG } from '../../../../test/setup/hunt.ts';
import { takeFileSnapshot } from '../commands/snapshot.ts';
import { startChild } from '../setup/start-child.ts';
import { readRefusal } from './database-home.ts';
import { changeDatabase, readAllRows } from './look-into.ts';
import { ID, KEY, makeTalkingHome, type TalkingHome } from './talking-home.ts';

const HOLDER = new URL('./children/hold-database.mjs', import.meta.url);

let home: TalkingHome;
beforeEach(() => {
  home = makeTalkingHome();
});

test('never edited: there is nothing to go back to, and nothing is left behind', async () => {
  const before = takeFileSnapshot(home.folder);
  expect(await home.refused('restore', ID)).toEqual({
    code: 'RESTORE_FAILED',
    message: `No backup found for session '${ID}'`,
    hint: 'The session has not been edited',
  });
  expect(await home.json('restore', ID, '--list')).toEqual([]);
  expect((await home.occ('restore', ID, '--list')).stdout).toContain('has not been edited');
  expect(takeFileSnapshot(home.folder)).toEqual(before);
});

test('--list shows the backups, newest first, and why they were made', async () => {
  await home.edit('--keep', '3', '--truncate', '0');
  await home.edit('--strip-tools=extreme');
  await home.restore(1);
  const before = takeFileSnapshot(home.folder);
  const listed = await home.json('restore', KEY, '--list');
  const sizes = Object.values(home.backups(ID)).map((text) => Buffer.byteLength(text));
  expect(listed).toEqual(
    (['edit', 'edit', 'restore'] as const)
      .map((madeBefore, index) => ({
        number: index + 1,
        path: join(home.kept, `${ID}.backup.${index + 1}.jsonl`),
        sizeBytes: sizes[index],
        createdAt: expect.any(Number),
        madeBefore,
      }))
      .reverse(),
  );
  const { stdout } = await home.occ('restore', ID, '--list');
  expect(stdout).toMatch(/#3 .*before a restore[\s\S]*#2 .*before an edit[\s\S]*#1 .*before an edit/);
  expect(takeFileSnapshot(home.folder)).toEqual(before);
});

test('a backup that is not there is refused with the numbers of those that are', async () => {
  await home.edit('--keep', '3', '--truncate', '0');
  await home.edit('--strip-tools=extreme');
  const before = takeFileSnapshot(home.folder);
  const { code, message, hint } = await home.refused('restore', ID, '--backup', '7');
  expect([code, message]).toEqual(['RESTORE_FAILED', `Session '${ID}' has no backup 7`]);
  expect(hint).toContain('Its backups: 1, 2');
  expect(takeFileSnapshot(home.folder)).toEqual(before);
});

test('it says for people what it did and how to undo it, and doing so undoes it', LONG, async () => {
  await home.edit('--strip-tools=extreme');
  const edited = home.file();
  home.say('since');
  const { code, stdout, stderr } = await home.occProcess('restore', ID);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('Added since the backup: 4 lines, kept');
  const undo = /Undo: occ (.*)/.exec(stdout)?.[1];
  expect(undo).toBe(`restore ${ID}`);
  expect((await home.occ(...undo!.split(' '))).code).toBe(0);
  expect(home.file().startsWith(edited)).toBe(true);
});

test('by its path, by the path that its file would have, and by the beginning of its id', LONG, async () => {
  for (const name of [home.path, join(home.sessions, `${ID}.jsonl`), ID.slice(0, 10)]) {
    await home.edit('--strip-tools=extreme');
    expect(await home.json('restore', name)).toMatchObject({ sessionId: ID });
  }
});

test('held by another program: refused with a clear error, and nothing is left', async () => {
  await home.edit('--strip-tools=extreme');
  const before = readAllRows(home.path);
  const kept = { backups: home.backups(ID), journal: home.journal(ID) };
  const holder = startChild(HOLDER, [home.path]);
  await holder.said('held');
  const refusal = readRefusal(await home.occProcess('restore', ID, '--wait=1', '--json'));
  expect(refusal).toMatchObject({ code: 'DATABASE_BUSY', message: expect.stringContaining(home.path) });
  holder.tell('let-go');
  expect(await holder.ended).toBe(0);
  expect(readAllRows(home.path)).toEqual(before);
  expect({ backups: home.backups(ID), journal: home.journal(ID) }).toEqual(kept);
  await home.restore();
});

test('a version of the database that is not known is restored only where that is insisted on', async () => {
  const original = home.file();
  await home.edit('--strip-tools=extreme');
  changeDatabase(home.path, 'PRAGMA user_version = 24', 'UPDATE schema_meta SET schema_version = 24');
  const edited = home.file();
  expect(await home.refused('restore', ID)).toMatchObject({
    code: 'DATABASE_UNSUPPORTED',
    hint: expect.stringContaining('--force'),
  });
  expect(home.file()).toBe(edited);
  await home.json('restore', ID, '--force');
  expect(home.file()).toBe(original);
});

test('a backup that was taken away by hand leaves the others', LONG, async () => {
  const original = home.file();
  await home.edit('--keep', '3', '--truncate', '0');
  await home.edit('--strip-tools=extreme');
  rmSync(join(home.kept, `${ID}.backup.2.jsonl`));
  expect((await home.json('restore', ID, '--list')).map(({ number }: { number: number }) => number)).toEqual([
    1,
  ]);
  await home.json('restore', ID);
  expect(home.file()).toBe(original);
  expect(Object.keys(home.backups(ID))).toEqual(['1', '3']);
});
