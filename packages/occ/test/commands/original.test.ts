/** What is rotated out is not lost: the first state of a session is kept once more, compressed. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { afterTest } from '../../../../test/setup/cleaning.ts';
import { HUNT, LONG, sample } from '../../../../test/setup/hunt.ts';
import { listDiskCalls, runOccWithFault } from '../setup/faults.ts';
import { createSessionWithTurns } from '../setup/sessions.ts';
import { makeLastingFolder } from '../setup/temp-folder.ts';
import { ID, type Json, makeStateFolder, type StateFolder } from './state-folder.ts';

let state: StateFolder;
let path: string;
let first: string;
let said: string[];
const root = makeLastingFolder();
/** The state folder after five edits, which most tests begin with, and what was said between them. */
const fiveEdits = { folder: join(root, 'state'), said: [] as string[], results: [] as Json[] };

beforeEach(() => {
  state = makeStateFolder();
  path = state.add(createSessionWithTurns(30, 1, { tree: true, resultLength: 300 }), {
    entry: { totalTokens: 90_000 },
  });
  first = read();
  said = [];
});

const read = () => readFileSync(path, 'utf8');
const kept = () => join(state.sessions, 'backups');
const packed = () => join(kept(), `${ID}.original.jsonl.zst`);
const unpack = () => zstdDecompressSync(readFileSync(packed())).toString();
const numbers = () =>
  readdirSync(kept())
    .flatMap((name) => /\.backup\.(\d+)\.jsonl$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);

/** As an agent appends it. */
function say(text: string): void {
  const parentId = JSON.parse(read().trimEnd().split('\n').at(-1)!).id;
  const line = `${JSON.stringify({
    type: 'message',
    id: text.replaceAll(' ', '-'),
    parentId,
    timestamp: '2026-11-16T00:00:00.000Z',
    message: { role: 'assistant', content: [{ type: 'text', text }], stopReason: 'stop' },
  })}\n`;
  writeFileSync(path, read() + line);
  said.push(line);
}

async function editTimes(times: number, ...flags: string[]) {
  const canCopy = times >= 5 && flags.length === 0;
  const results: Json[] = canCopy ? takeFiveEdits() : [];
  while (results.length < times) {
    results.push(await state.json('edit', ID, '--keep', String(29 - results.length), ...flags));
    say(`after edit ${said.length + 1}`);
    if (canCopy && results.length === 5 && fiveEdits.results.length === 0) keepFiveEdits(results);
  }
  return results;
}

function keepFiveEdits(results: readonly Json[]): void {
  cpSync(state.stateDir, fiveEdits.folder, { recursive: true });
  fiveEdits.said.push(...said);
  fiveEdits.results.push(...results);
}

function takeFiveEdits(): Json[] {
  if (fiveEdits.results.length === 0) return [];
  cpSync(fiveEdits.folder, state.stateDir, { recursive: true });
  said.push(...fiveEdits.said);
  return [...fiveEdits.results];
}

it('is kept by the edit that rotates it out, which says so, and not before', async () => {
  const results = await editTimes(6);
  expect(results.slice(0, 5).filter((result) => 'rotatedOut' in result || 'originalPath' in result)).toEqual(
    [],
  );
  expect(results[5]).toMatchObject({
    rotatedOut: [join(kept(), `${ID}.backup.1.jsonl`)],
    originalPath: packed(),
  });
  expect(numbers()).toEqual([2, 3, 4, 5, 6]);
  expect(unpack()).toBe(first);
  expect(statSync(packed()).mode & 0o777).toBe(0o600);
  expect(statSync(packed()).size).toBeLessThan(first.length / 4);
});

it('stays the same whatever goes after it', async () => {
  await editTimes(6);
  const bytes = readFileSync(packed());
  const { rotatedOut, originalPath } = await state.json('edit', ID, '--keep', '5');
  expect([rotatedOut.length, originalPath]).toEqual([1, packed()]);
  expect(readFileSync(packed()).equals(bytes)).toBe(true);
});

describe('occ restore --original', () => {
  it('brings it back byte for byte, with what was said since, and can be undone', async () => {
    await editTimes(6);
    const before = read();
    const result = await state.json('restore', ID, '--original');
    expect(result).toMatchObject({
      restoredFrom: packed(),
      linesKept: 6,
      sizeAfter: Buffer.byteLength(read()),
    });
    expect(read()).toBe(first + said.join(''));
    expect(state.entryOf(ID)).toMatchObject({ totalTokens: 90_000 });
    expect(numbers()).toEqual([3, 4, 5, 6, 7]);
    await state.json('restore', ID);
    expect(read()).toBe(before);
    expect(readdirSync(kept()).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('also when the backups right behind it are gone, and without a journal', LONG, async () => {
    await editTimes(12);
    expect(numbers()).toEqual([8, 9, 10, 11, 12]);
    await state.json('restore', ID, '--original');
    expect(read()).toBe(first + said.join(''));
    await state.json('restore', ID);
    writeFileSync(join(kept(), `${ID}.occ.json`), '{ torn');
    await state.json('restore', ID, '--original');
    expect(read()).toBe(first + said.join(''));
  });

  it('where none is kept: says when one is', async () => {
    await editTimes(1);
    const { code, message, hint } = await state.refused('restore', ID, '--original');
    expect([code, message]).toEqual(['RESTORE_FAILED', `There is no original of session '${ID}'`]);
    expect(hint).toContain('--list');
  });

  it.each(['cut', 'of other bytes'])('damaged (%s): refused, and nothing is changed', async (how) => {
    await editTimes(6);
    if (how === 'cut') truncateSync(packed(), statSync(packed()).size - 20);
    else writeFileSync(packed(), 'not zstd at all');
    const before = read();
    const { code, message } = await state.refused('restore', ID, '--original');
    // Node 22 unpacks what was cut off without an error; it is too short then.
    const isKnown = message.includes(`${packed()} is damaged`) || message.includes('became shorter');
    expect([code, isKnown], message).toEqual(['RESTORE_FAILED', true]);
    expect(read()).toBe(before);
    expect(readdirSync(kept()).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it.each([['--backup', '2'], ['--list']])('contradicts %s', async (...flags) => {
    expect((await state.refused('restore', ID, '--original', ...flags)).code).toBe('USAGE');
  });
});

it('is listed last, and the reports mention it', async () => {
  await editTimes(5);
  const { stdout } = await state.occ('edit', ID, '--keep', '8');
  expect(stdout).toContain(
    `  Rotated out: backup 1; the newest five are kept, and the original (occ restore ${ID} --original)\n`,
  );
  const list = await state.json('restore', ID, '--list');
  expect(list.map(({ number }: { number: number }) => number)).toEqual([6, 5, 4, 3, 2, 0]);
  expect(list.at(-1)).toMatchObject({
    original: true,
    path: packed(),
    sizeBytes: Buffer.byteLength(first),
    madeBefore: 'edit',
  });
  const human = (await state.occ('restore', ID, '--list')).stdout;
  expect(human).toMatch(/\n {2}original +20\d\d-.* before an edit .*original\.jsonl\.zst\n/);
  expect(human).toContain('or --original, instead of --list');
});

it.each(
  sample(
    [
      ['a flag', ['--no-original'], {}],
      ['a setting', [], { keepOriginal: false }],
    ],
    { gate: 1 },
  ),
)('%s turns it off', HUNT, async (_, flags, settings) => {
  // Only a configuration of the user's own home folder may turn it off.
  vi.stubEnv('HOME', state.home);
  afterTest(() => vi.unstubAllEnvs());
  writeFileSync(join(state.home, 'occ.config.json'), JSON.stringify(settings));
  const results = await editTimes(6, ...flags);
  expect(results[5].rotatedOut).toHaveLength(1);
  expect(results[5]).not.toHaveProperty('originalPath');
  expect(existsSync(packed())).toBe(false);
});

it('where it cannot be kept no backup goes', async () => {
  await editTimes(5);
  mkdirSync(packed());
  expect(await state.json('edit', ID, '--keep', '8')).not.toHaveProperty('rotatedOut');
  expect(numbers()).toEqual([1, 2, 3, 4, 5, 6]);
  expect(readdirSync(kept()).filter((name) => name.endsWith('.tmp'))).toEqual([]);
});

it('killed at any moment of the rotation, the first state is kept', HUNT, async () => {
  await editTimes(5);
  const fresh = join(state.home, 'fresh');
  cpSync(state.stateDir, fresh, { recursive: true });
  const args = ['edit', ID, '--keep', '8', '--json'];
  const { calls } = await listDiskCalls(args, { under: state.home }, { env: { HOME: state.home } });
  const from = calls.findIndex((call) => call.includes('.original.jsonl.zst'));
  const to = calls.findLastIndex((call) => call.includes('.backup.1.jsonl'));
  expect(calls[to]).toMatch(/^unlink /);
  expect(from).toBeGreaterThan(0);
  const points = Array.from({ length: to + 2 - from }, (_, index) => from + index);
  for (const at of sample(points, { gate: 3 })) {
    rmSync(state.stateDir, { recursive: true });
    cpSync(fresh, state.stateDir, { recursive: true });
    const fault = { at: at + 1, strike: 'kill-before', under: state.home } as const;
    const { code } = await runOccWithFault(args, fault, { env: { HOME: state.home } });
    expect(code, calls[at]).toBe(null);
    const isThere = existsSync(join(kept(), `${ID}.backup.1.jsonl`));
    expect(isThere || unpack() === first, calls[at]).toBe(true);
    say('after the kill');
    await state.json('edit', ID, '--keep', '5');
    expect(unpack(), calls[at]).toBe(first);
    expect(numbers(), calls[at]).toHaveLength(5);
    expect(readdirSync(kept()).filter((name) => /tmp|lock/.test(name))).toEqual([]);
  }
});
