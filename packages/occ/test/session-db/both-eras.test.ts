/** A session of one id that has a past as a file and a present in the database. */
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { LONG } from '../../../../test/setup/hunt.ts';
import { changeDatabase, readLinesOf } from './look-into.ts';
import { COUNTERS, ID, KEY, makeTalkingHome, type TalkingHome } from './talking-home.ts';

const CLEAN = '--strip-tools=extreme';
const INDEX_COUNTERS = { totalTokens: 71_000, totalTokensFresh: true };

let home: TalkingHome;
let path: string;
/** As OpenClaw had it in a file, whose header is another one. */
let asFile: string;
beforeEach(() => {
  home = makeTalkingHome();
  path = join(home.sessions, `${ID}.jsonl`);
  mkdirSync(home.sessions);
  asFile = home.file().replace(/"version":\d+/, '"version":3');
  expect(asFile).not.toBe(home.file());
  writeFileSync(path, asFile);
  const entry = { sessionId: ID, updatedAt: 1_794_767_344_000, ...INDEX_COUNTERS };
  writeFileSync(join(home.sessions, 'sessions.json'), JSON.stringify({ [KEY]: entry }));
});

const headerOf = (text: string) => text.slice(0, text.indexOf('\n'));
const restOf = (text: string) => text.slice(text.indexOf('\n'));

/** What an earlier OpenClaw's file went through before the session was moved into the database. */
async function editFile(): Promise<void> {
  expect(await home.json('edit', path, CLEAN, '--force')).toMatchObject({ changed: true });
}

test("a backup of the file is put back into the database, which keeps its own header and its entry's counters", async () => {
  await editFile();
  expect(headerOf(home.backups(ID)[1]!)).toContain('"version":3');
  rmSync(path);
  const original = home.file();
  await home.edit(CLEAN);
  const lowered = home.counters();
  const said = home.say('since then');
  const header = readLinesOf(home.path, ID)[0]!.row;

  expect(await home.restore(1)).toMatchObject({ linesKept: 4 });
  expect(home.file()).toBe(original + said);
  expect(readLinesOf(home.path, ID)[0]!.row).toEqual(header);
  // The figures of the file's record are none of this entry's.
  expect(home.counters()).toEqual(lowered);

  await home.restore(2);
  expect(home.counters()).toEqual(COUNTERS);
});

test('a file that became a backup and was written to afterwards is not taken for damaged', LONG, async () => {
  await editFile();
  rmSync(path);
  const original = home.file();
  const late = home.say('while the file was cleaned');
  appendFileSync(join(home.kept, `${ID}.backup.1.jsonl`), late);
  await home.edit(CLEAN);
  await home.restore(1);
  expect(home.file()).toBe(original + late);
});

test('an edit of the database that never took place is known as such behind a later edit of the file', async () => {
  await home.edit(CLEAN);
  const [record] = home.journal(ID);
  const backup = home.backups(ID)[1]!;
  // As a kill between the backup and the transaction leaves it.
  changeDatabase(
    home.path,
    record.generations.before === null
      ? `DELETE FROM transcript_rewrite_watermarks WHERE session_id = '${ID}'`
      : `UPDATE transcript_rewrite_watermarks SET generation = '${record.generations.before}' WHERE session_id = '${ID}'`,
  );
  const journal = JSON.parse(readFileSync(join(home.kept, `${ID}.occ.json`), 'utf8'));
  const unfinished = { ...record, backupBytes: Buffer.byteLength(home.file()) };
  const ofFile = { ...record, backup: 2, generations: undefined };
  writeFileSync(
    join(home.kept, `${ID}.occ.json`),
    JSON.stringify({ ...journal, rewrites: [unfinished, ofFile] }),
  );
  writeFileSync(join(home.kept, `${ID}.backup.2.jsonl`), asFile);
  expect(backup).toBeDefined();
  const listed = await home.json('restore', ID, '--list');
  expect(listed.map(({ number }: { number: number }) => number)).toEqual([2]);
});

test('the file is never made from a backup of the database', async () => {
  await editFile();
  const edited = readFileSync(path, 'utf8');
  await home.edit(CLEAN);
  const { code, message, hint } = await home.refused('restore', path, '--backup', '2', '--force');
  expect([code, message]).toEqual(['RESTORE_FAILED', expect.stringContaining("OpenClaw's database")]);
  expect(hint).toContain('Nothing was changed');
  expect(readFileSync(path, 'utf8')).toBe(edited);

  // Without a number it is the newest of its own, and what was said since in the file follows.
  const line = JSON.stringify({
    type: 'message',
    id: 'new',
    parentId: JSON.parse(edited.trimEnd().split('\n').at(-1)!).id,
    timestamp: '2026-11-16T00:00:00.000Z',
    message: { role: 'user', content: 'more' },
  });
  appendFileSync(path, `${line}\n`);
  expect(await home.json('restore', path, '--force')).toMatchObject({ linesKept: 1 });
  expect(readFileSync(path, 'utf8')).toBe(`${asFile}${line}\n`);
  expect(restOf(asFile)).toBe(restOf(home.backups(ID)[1]!));
});
