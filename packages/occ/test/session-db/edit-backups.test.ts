import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { findDatabaseFaults } from '../../../sessions/test/openclaw-db/setup/check-database.ts';
import { generateEvents } from '../../../sessions/test/openclaw-db/setup/compose-turns.ts';
import { takeFileSnapshot } from '../commands/snapshot.ts';
import { type DatabaseHome, makeHome } from './database-home.ts';
import { readAsFile, readMarksOf } from './look-into.ts';

const ID = '00000000-0000-4000-8000-000000000001';

let home: DatabaseHome;
beforeEach(() => {
  const events = generateEvents({ seed: 5, turns: 12, rounds: 1, resultLength: 300, sessionId: ID });
  home = makeHome([{ key: 'agent:main:main', events, entry: { totalTokens: 90_000 } }]);
});

test('the newest five backups are kept, each the session as it was before an edit', async () => {
  const states: string[] = [];
  for (let keep = 11; keep > 3; keep--) {
    states.push(readAsFile(home.path, ID));
    const { backupPath } = await home.json('edit', ID, '--keep', String(keep), '--truncate', '0');
    expect(backupPath).toBe(join(home.kept, `${ID}.backup.${states.length}.jsonl`));
    const numbers = states.map((_, index) => index + 1).slice(-5);
    expect(home.backups(ID)).toEqual(
      Object.fromEntries(numbers.map((number) => [number, states[number - 1]])),
    );
  }
  expect(states).toHaveLength(8);
  expect(home.journal(ID).map(({ backup }) => backup)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  const generations = home.journal(ID).map((record) => record.generations);
  for (const [index, { before }] of generations.entries())
    if (index > 0) expect(before).toBe(generations[index - 1].after);
  expect(generations.at(-1).after).toBe(readMarksOf(home.path, ID).generation);
  expect(findDatabaseFaults(home.path)).toEqual([]);
});

test('numbers are never given twice, also when backups were removed or the journal was lost', async () => {
  await home.json('edit', ID, '--keep', '9');
  writeFileSync(join(home.kept, `${ID}.occ.json`), '{ torn');
  expect((await home.json('edit', ID, '--keep', '8')).backupPath).toContain('.backup.2.jsonl');
  const [first] = readdirSync(home.kept).filter((name) => name.includes('.backup.'));
  expect(first).toBe(`${ID}.backup.1.jsonl`);
});

test('a dry run leaves every file as it is', async () => {
  const before = takeFileSnapshot(home.folder);
  const planned = await home.json('edit', ID, '--strip-tools=extreme', '--dry-run');
  expect(takeFileSnapshot(home.folder)).toEqual(before);
  const done = await home.json('edit', ID, '--strip-tools=extreme');
  expect(planned.statistics).toEqual(done.statistics);
  expect(planned.tokens).toEqual(done.tokens);
});
