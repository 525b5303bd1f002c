/** Edits, restores and turns in a row: every state can be put back, and nothing that was said is lost. */
import { writeFileSync } from 'node:fs';
import { beforeEach, expect, test } from 'vitest';
import { LONG } from '../../../../test/setup/hunt.ts';
import { findDatabaseFaults } from '../../../sessions/test/openclaw-db/setup/check-database.ts';
import { changeDatabase, readEntryOf, readLinesOf, readMarksOf } from './look-into.ts';
import { COUNTERS, ID, KEY, makeTalkingHome, renumberRows, type TalkingHome } from './talking-home.ts';

let home: TalkingHome;
beforeEach(() => {
  home = makeTalkingHome();
});

test('after an edit: lines, numbers of rows, usage and counters are as they were', async () => {
  const before = home.file();
  const rows = readLinesOf(home.path, ID);
  await home.edit('--strip-tools=extreme');
  expect(home.counters()).toMatchObject({ totalTokensFresh: false });
  expect(home.counters().totalTokens).toBeLessThan(COUNTERS.totalTokens);

  expect(await home.restore()).toMatchObject({ linesKept: 0 });
  expect(home.file()).toBe(before);
  expect(readLinesOf(home.path, ID).map(({ seq, row }) => [seq, row.created_at])).toEqual(
    rows.map(({ seq, row }) => [seq, row.created_at]),
  );
  expect(home.counters()).toEqual(COUNTERS);
  expect(readEntryOf(home.path, KEY).valid).toBe(1);
});

test('what an edit did not touch stays compressed through a restore', async () => {
  const compressed = () =>
    readLinesOf(home.path, ID)
      .filter(({ isCompressed }) => isCompressed)
      .map(({ row }) => row);
  await home.edit('--keep', '3', '--truncate', '0');
  const untouched = compressed();
  expect(untouched.length).toBeGreaterThan(2);
  await home.restore();
  expect(compressed()).toEqual(untouched);
});

test('what was said since follows, and the restore can be undone and done again', async () => {
  const original = home.file();
  await home.edit('--strip-tools=extreme');
  const edited = home.file();
  const said = home.say('since the edit');
  expect(await home.restore(1)).toMatchObject({ linesKept: 4 });
  expect(home.file()).toBe(original + said);

  const more = home.say('since the restore');
  await home.restore(2);
  expect(home.file()).toBe(edited + said + more);
  await home.restore(1);
  expect(home.file()).toBe(original + said + more);
});

test('what a later edit shortened or removed comes back as it was said', async () => {
  const original = home.file();
  await home.edit('--keep', '4', '--truncate', '0');
  const first = home.say('the first');
  await home.edit('--keep', '1', '--truncate', '100');
  const second = home.say('the second');
  await home.edit('--strip-tools=extreme');
  const third = home.say('the third');
  expect(home.file()).not.toContain(first);
  expect(await home.restore(1)).toMatchObject({ linesKept: 12 });
  expect(home.file()).toBe(original + first + second + third);
});

test('many states, put back from each other, with a turn in between every time', LONG, async () => {
  const says: string[] = [];
  const states = new Map<number, { file: string; said: number }>();
  const note = (number: number, file: string) => states.set(number, { file, said: says.length });
  for (const keep of [7, 6, 4, 2]) {
    const file = home.file();
    note(await home.edit('--keep', String(keep), '--truncate', '0'), file);
    says.push(home.say(`after keep ${keep}`));
  }
  for (const [round, at] of [0, 3, 1, 2, 4, 0, 1, 3, 2, 4].entries()) {
    const number = Number(Object.keys(home.backups(ID))[at]);
    const file = home.file();
    const { backupPath } = await home.restore(number);
    note(Number(/(\d+)\.jsonl$/.exec(backupPath)?.[1]), file);
    const { file: then, said } = states.get(number)!;
    expect(home.file(), `backup ${number}`).toBe(then + says.slice(said).join(''));
    says.push(home.say(`after restore ${round}`));
  }
});

test('counters that the agent has counted again since stay', async () => {
  await home.edit('--strip-tools=extreme');
  changeDatabase(
    home.path,
    "UPDATE session_nodes SET entry_json = json_set(entry_json, '$.totalTokens', 12345, '$.totalTokensFresh', json('true'))",
    'UPDATE session_nodes SET entry_valid = 1',
  );
  await home.restore();
  expect(home.counters()).toEqual({ totalTokens: 12_345, totalTokensFresh: true });
});

test('rows that were numbered anew meanwhile leave no room: all are written anew, in order', async () => {
  const original = home.file();
  await home.edit('--strip-tools=extreme');
  renumberRows(home.path);
  expect(findDatabaseFaults(home.path)).toEqual([]);
  const said = home.say('after the numbering');
  await home.restore();
  expect(home.file()).toBe(original + said);
  const seqs = readLinesOf(home.path, ID).map(({ seq }) => seq);
  expect(seqs).toEqual(seqs.map((_, index) => index));
});

test('a session without a record of its rewrites is restored by its lines alone', async () => {
  const original = home.file();
  await home.edit('--strip-tools=extreme');
  const said = home.say('since');
  writeFileSync(`${home.kept}/${ID}.occ.json`, '{ torn');
  await home.restore();
  expect(home.file()).toBe(original + said);
});

test(
  'the oldest of five is not taken away by the restore that reads it, nor are those that follow it',
  LONG,
  async () => {
    const states: string[] = [];
    let said = '';
    for (const keep of [7, 6, 5, 4, 3]) {
      states.push(home.file());
      await home.edit('--keep', String(keep), '--truncate', '0');
      said += home.say(`after keep ${keep}`);
    }
    for (const made of [6, 7]) {
      await home.restore(1);
      expect(home.file()).toBe(states[0] + said);
      expect(Object.keys(home.backups(ID)).map(Number)).toEqual(
        Array.from({ length: made }, (_, index) => index + 1),
      );
    }
    await home.edit('--keep', '2');
    expect(Object.keys(home.backups(ID))).toEqual(['4', '5', '6', '7', '8']);
  },
);

test('two restores at once come one after the other, and nothing is lost', LONG, async () => {
  const original = home.file();
  await home.edit('--strip-tools=extreme');
  const edited = home.file();
  const said = home.say('since');
  const runs = await Promise.all([
    home.occProcess('restore', ID, '--backup', '1', '--json'),
    home.occProcess('restore', ID, '--backup', '1', '--json'),
  ]);
  expect(runs.map(({ code, stderr }) => ({ code, stderr }))).toEqual([
    { code: 0, stderr: '' },
    { code: 0, stderr: '' },
  ]);
  expect(home.file()).toBe(original + said);
  const { 2: two, 3: three } = home.backups(ID);
  expect([two, three]).toEqual([edited + said, original + said]);
  expect(findDatabaseFaults(home.path)).toEqual([]);
  expect(readMarksOf(home.path, ID).generation).toBe(home.journal(ID).at(-1).generations.after);
});

test('a backup that restores spare keeps its record, however many rewrites follow', LONG, async () => {
  await home.edit('--strip-tools=extreme');
  for (let time = 0; time < 11; time++) await home.restore(1);
  expect(home.journal(ID)[0]).toMatchObject({ backup: 1 });
});

test('a refused restore leaves all records, however many there are', LONG, async () => {
  await home.edit('--keep', '4');
  await home.edit('--keep', '0');
  for (let time = 0; time < 8; time++) await home.restore(1);
  const { id } = readLinesOf(home.path, ID)
    .map(({ text }) => JSON.parse(text))
    .find(({ message }) => message?.role === 'toolResult');
  home.say('', [{ type: 'message', message: { role: 'user', content: 'Instead' }, parentId: id }]);
  const [file, journal] = [home.file(), home.journal(ID)];
  expect(journal).toHaveLength(10);
  await home.refused('restore', ID, '--backup', '2');
  expect(home.file()).toBe(file);
  expect(home.journal(ID)).toEqual(journal);
});

test('records of backups that are gone do not pile up', LONG, async () => {
  for (let time = 0; time < 11; time++) {
    await home.edit('--strip-tools=extreme');
    await home.restore();
  }
  const records = home.journal(ID).map(({ backup }: { backup: number }) => backup);
  expect(records.length).toBeLessThan(20);
  expect(records.slice(-5).map(String)).toEqual(Object.keys(home.backups(ID)));
});
