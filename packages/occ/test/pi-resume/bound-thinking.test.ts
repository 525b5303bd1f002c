/** After a clean, a clone or a restore the real pi goes on, with models that bind thinking to what was said before it. */
import { SessionManager } from '@earendil-works/pi-coding-agent';
import { expect, test } from 'vitest';
import { LONG } from '../../../../test/setup/hunt.ts';
import { runOccHere } from '../setup/run-occ.ts';
import { openPi, PI_MODELS, type PiTalk } from './pi-session.ts';

const EDITS = [
  ['--strip-tools'],
  ['--strip-tools=extreme'],
  ['--strip-tools', '--keep', '1', '--truncate', '0'],
  ['--truncate-over', '500'],
] as const;

const MODES = ['enforce', 'drop_block', 'older account'] as const;

/** The changes begin in the second of the turns, and one has no tools. */
async function tellTurns({ tell }: PiTalk): Promise<void> {
  await tell('first question');
  await tell('second question\nrun: seq 1 900');
  await tell('third question');
  for (let turn = 4; turn < 8; turn++) await tell(`question ${turn}\nrun: seq ${turn} 900`);
}

async function occ(...words: string[]): Promise<Record<string, unknown>> {
  const { stdout, stderr, code } = await runOccHere([...words, '--json']);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
}

/** Two more turns, each request taken at the first try. */
async function goOn({ tell, api }: PiTalk, path?: string): Promise<void> {
  await tell('and now?\nrun: echo on', path);
  await tell('and then?', path);
  expect({ faults: api.faults, dropped: api.dropped }).toEqual({ faults: [], dropped: [] });
}

const thoughtsOf = ({ api }: PiTalk) =>
  JSON.stringify(api.conversations.at(-1)!.messages).match(/"thought \d+"/g) ?? [];

test.each(PI_MODELS)('%s: a session that was not cleaned keeps its thinking', LONG, async (model) => {
  const pi = await openPi(model);
  await tellTurns(pi);
  await goOn(pi);
  expect(thoughtsOf(pi)).toHaveLength(14);
});

test.each(PI_MODELS)('%s: cleaned, gone on with, restored', async (model) => {
  const pi = await openPi(model);
  await tellTurns(pi);
  expect(await occ('edit', pi.path, '--truncate-over', '500')).toMatchObject({ changed: true });
  await goOn(pi);
  // Thinking before the first change stays.
  expect(thoughtsOf(pi)).toContain('"thought 1"');
  await occ('restore', pi.path);
  await goOn(pi);
});

test.each(PI_MODELS)('%s: cleaned, and gone on with on another branch', async (model) => {
  const pi = await openPi(model);
  const leaf = () => SessionManager.open(pi.path).getLeafId()!;
  await pi.tell('first question\nrun: seq 1 900');
  const fork = leaf();
  await pi.tell('second question');
  const left = leaf();
  await pi.tell('another second question\nrun: echo on', pi.path, fork);
  expect(await occ('edit', pi.path, '--truncate-over', '500')).toMatchObject({ changed: true });
  await pi.tell('back again', pi.path, left);
  expect({ faults: pi.api.faults, dropped: pi.api.dropped }).toEqual({ faults: [], dropped: [] });
});

const matrix = PI_MODELS.flatMap((model) =>
  MODES.flatMap((mode) => EDITS.map((words) => ({ model, mode, words }))),
);
test.each(matrix)('$model, $mode: edit and clone $words', LONG, async ({ model, mode, words }) => {
  const pi = await openPi(model, mode);
  await tellTurns(pi);
  const { clonedSessionPath } = await occ('clone', pi.path, ...words);
  await goOn(pi, String(clonedSessionPath));
  await occ('edit', pi.path, ...words);
  await goOn(pi);
  await occ('restore', pi.path);
  await goOn(pi);
});
