import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { activePath, scanTranscriptFile } from '@openbot/sessions';
import { beforeEach, expect, test, vi } from 'vitest';
import { HUNT, LONG, tries } from '../../../../test/setup/hunt.ts';
import { runOcc } from '../setup/run-occ.ts';
import { startChild } from '../setup/start-child.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';
import {
  backupFolderOf,
  furnish,
  type Home,
  homeIn,
  listLeftovers,
  occ,
  readBackups,
  readEntries,
  readPairs,
  SESSION_ID,
} from './homes.ts';

const APPEND = new URL('./children/append-turns.mjs', import.meta.url);
const EDITS = tries({ gate: 6, torture: 100 });
vi.setConfig({ testTimeout: 600_000 });

let home: Home;
beforeEach(async () => {
  home = homeIn(makeTempFolder(), 'openclaw');
  await furnish(home);
});

const edit = (...flags: string[]) => runOcc(['edit', SESSION_ID, ...flags, '--json'], { env: home.env });

function startAgent() {
  return startChild(APPEND, [home.path, readEntries(home.path).at(-1)!.id as string]);
}

/** The numbers of the texts, in the order of the file. */
function readNumbers(path: string): number[] {
  return [...readFileSync(path, 'utf8').matchAll(/"text":"text-(\d+)"/g)].map(([, number]) => Number(number));
}

/** Each text once, and in its order when the conversation is read from the leaf on, as agents read it. */
async function expectAllThere(texts: number): Promise<void> {
  expect(readNumbers(home.path).sort((a, b) => a - b)).toEqual(numbersTo(texts));
  const transcript = await scanTranscriptFile(home.path);
  expect(transcript.problems).toEqual([]);
  const bytes = readFileSync(home.path);
  const told = activePath(transcript).entries.flatMap((index) => {
    const line = bytes.toString('utf8', transcript.startOf(index), transcript.endOf(index));
    return /"text":"text-(\d+)"/.exec(line)?.[1] ?? [];
  });
  expect(told.map(Number)).toEqual(numbersTo(texts));
}

const numbersTo = (count: number) => Array.from({ length: count }, (_, number) => number);

test(
  'lines that an agent appends every millisecond during edits: none lost, none doubled, all in order',
  HUNT,
  async () => {
    const agent = startAgent();
    await agent.said('appending');
    let changed = 0;
    for (let round = 0; round < EDITS; round++) {
      // In this process, because a start takes longer than an edit, and more moments are hit by more edits.
      const { output } = await occ(home, ['edit', '--keep=0', '--force']);
      if ((output as { changed: boolean }).changed) changed++;
    }
    expect(changed).toBeGreaterThan(EDITS / 2);
    agent.tell('stop');
    const texts = Number(await agent.said('texts'));
    expect(texts).toBeGreaterThan(EDITS);

    await expectAllThere(texts);
    const { calls, results } = readPairs(home.path);
    expect(calls).toEqual(results);
    // What the agent said before an edit is in its backup, as it was said.
    expect(readBackups(home).size).toBe(5);
    for (const name of readBackups(home).keys()) {
      const numbers = readNumbers(join(backupFolderOf(home), name));
      expect(numbers).toEqual(numbersTo(numbers.length));
    }
    expect(listLeftovers(home)).toEqual([]);
  },
);

test('restore, too, keeps every line that comes in meanwhile', LONG, async () => {
  const rounds = tries({ gate: 2, torture: 30 });
  const agent = startAgent();
  await agent.said('appending');
  for (let round = 0; round < rounds; round++) {
    await occ(home, ['edit', '--keep=0', '--force']);
    await occ(home, ['restore', '--force']);
  }
  agent.tell('stop');
  const texts = Number(await agent.said('texts'));
  await expectAllThere(texts);
  const { calls, results } = readPairs(home.path);
  expect(calls).toEqual(results);
});

test(
  'two edits at once: one after the other, both succeed, each with a backup of its own',
  HUNT,
  async () => {
    const rounds = tries({ gate: 2, torture: 20 });
    for (let round = 0; round < rounds; round++) {
      const before = readFileSync(home.path);
      const fresh = homeIn(makeTempFolder(), 'openclaw');
      await furnish(fresh);
      const runs = await Promise.all([
        runOcc(['edit', SESSION_ID, '--keep=2', '--json'], { env: fresh.env }),
        runOcc(['edit', SESSION_ID, '--keep=0', '--json'], { env: fresh.env }),
      ]);
      expect(runs.map(({ code, stderr }) => ({ code, stderr }))).toEqual([
        { code: 0, stderr: '' },
        { code: 0, stderr: '' },
      ]);
      const results = runs.map(({ stdout }) => JSON.parse(stdout));
      const backups = results.map(({ backupPath }) => backupPath).filter((path) => path !== undefined);
      expect(new Set(backups).size).toBe(backups.length);
      expect(backups.some((path) => readFileSync(path).equals(before))).toBe(true);
      expect(readPairs(fresh.path)).toEqual({ calls: [], results: [] });
      expect(listLeftovers(fresh)).toEqual([]);
    }
  },
);

test('an edit and a clone at once: the clone is the session before or after', LONG, async () => {
  const before = readPairs(home.path).calls.length;
  const [edited, cloned] = await Promise.all([
    edit('--keep=0'),
    runOcc(['clone', SESSION_ID, '--json'], { env: home.env }),
  ]);
  expect([edited.code, cloned.code]).toEqual([0, 0]);
  const { calls, results } = readPairs(JSON.parse(cloned.stdout).clonedSessionPath);
  expect(calls).toEqual(results);
  expect([0, before]).toContain(calls.length);
});

test('a backup keeps its bytes, whatever is appended to the session afterwards', LONG, async () => {
  const { output } = await occ(home, ['edit', '--keep', '0']);
  const { backupPath } = output as { backupPath: string };
  const bytes = readFileSync(backupPath);
  const agent = startAgent();
  await agent.said('appending');
  await edit('--keep=0', '--force');
  agent.tell('stop');
  await agent.said('texts');
  expect(readFileSync(backupPath).equals(bytes)).toBe(true);
});
