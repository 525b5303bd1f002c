/** The figures that agents decide on after a clean: usage of the last answer, counters of the index entry. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { LONG } from '../../../../test/setup/hunt.ts';
import { createSessionWithTurns, type SessionLine } from '../setup/sessions.ts';
import { ID, type Json, makeStateFolder, type StateFolder } from './state-folder.ts';
import { readJsonLines } from './told.ts';

const COST = { input: 0.25, output: 0.5, cacheRead: 0.125, cacheWrite: 0, total: 0.875 };
const COUNTERS = {
  totalTokens: 90_000,
  totalTokensFresh: true,
  contextBudgetStatus: { level: 'high' },
};
const OTHERS = { inputTokens: 80_000, contextTokens: 200_000, estimatedCostUsd: 1.5, model: 'm' };

let state: StateFolder;
beforeEach(() => {
  state = makeStateFolder();
});

/** With what each answer cost. */
function withCost(lines: SessionLine[]): SessionLine[] {
  return lines.map((line) => {
    const { message } = line as { message?: Json };
    return message?.usage === undefined
      ? line
      : { ...line, message: { ...message, usage: { ...message.usage, cost: COST, extra: 'kept' } } };
  });
}

const usages = (path: string): Json[] =>
  readJsonLines(path).flatMap(({ message }) => (message?.usage === undefined ? [] : [message.usage]));

describe.each([
  ['a linear session', false],
  ['a tree', true],
])('in %s', (_, tree) => {
  let path: string;
  beforeEach(() => {
    const lines = createSessionWithTurns(30, 1, { tree, usage: true, resultLength: 3000 });
    path = state.add(withCost(lines), { entry: { ...COUNTERS, ...OTHERS } });
  });

  it('the usage of the last answer is lowered to the computed context and marked; its cost and all others stay', async () => {
    const before = usages(path);
    const { tokens } = await state.json('edit', ID, '--strip-tools');
    expect(tokens).toEqual({
      before: before.at(-1).totalTokens,
      after: expect.any(Number),
      basis: 'calibrated',
    });
    expect(tokens.after).toBeLessThan(tokens.before / 2);
    const after = usages(path);
    expect(after.at(-1)).toEqual({
      estimatedBy: 'openbot',
      input: tokens.after - 10,
      output: 10,
      cacheRead: 0,
      cacheWrite: 0,
      totalTokens: tokens.after,
      cost: COST,
      extra: 'kept',
    });
    expect(after.slice(0, -1)).toEqual(before.slice(0, -1));
  });

  it('the computed context is about what the agent will then count', async () => {
    // The imitated provider counts a token for four characters of what was written, its JSON included.
    const { tokens } = await state.json('edit', ID, '--strip-tools');
    const written = readJsonLines(path)
      .filter(({ type }) => type === 'message')
      .map(({ message: { usage: _, ...message } }) => JSON.stringify(message).length)
      .reduce((sum, length) => sum + length, 0);
    expect(Math.abs(tokens.after - written / 4) / (written / 4)).toBeLessThan(0.1);
  });

  it('a marked figure is not taken for a recorded one by the next look', LONG, async () => {
    const { tokens } = await state.json('edit', ID, '--strip-tools');
    const info = await state.json('info', ID);
    expect(info.tokens).toMatchObject({ context: tokens.after, basis: 'estimated' });
    const second = await state.json('edit', ID, '--strip-tools=extreme', '--dry-run');
    expect(second.tokens).toMatchObject({ before: tokens.after, basis: 'estimated' });
  });

  it('the counters of the index entry are lowered and marked, all else in it stays', async () => {
    const { updatedAt } = state.entryOf(ID);
    const { tokens } = await state.json('edit', ID, '--strip-tools');
    expect(state.entryOf(ID)).toEqual({
      sessionId: ID,
      updatedAt,
      ...OTHERS,
      totalTokens: tokens.after,
      totalTokensFresh: false,
    });
  });

  it('restore puts all of them back, and its undo lowers them again', async () => {
    const entry = state.entryOf(ID);
    const bytes = readFileSync(path);
    await state.json('edit', ID, '--strip-tools');
    const lowered = state.entryOf(ID);
    await state.json('restore', ID);
    expect(state.entryOf(ID)).toEqual(entry);
    expect(readFileSync(path).equals(bytes)).toBe(true);
    await state.json('restore', ID);
    expect(state.entryOf(ID)).toEqual(lowered);
    await state.json('restore', ID);
    expect(state.entryOf(ID)).toEqual(entry);
  });

  it('two edits back, the counters are those from before the first', LONG, async () => {
    const entry = state.entryOf(ID);
    await state.json('edit', ID, '--strip-tools');
    await state.json('edit', ID, '--strip-tools=extreme');
    await state.json('restore', ID, '--backup', '1');
    expect(state.entryOf(ID)).toEqual(entry);
  });
});

describe('the index entry', () => {
  const lines = () => createSessionWithTurns(30, 1, { usage: true, resultLength: 3000 });

  it('without a mark of its own has none after a restore', async () => {
    state.add(lines(), { entry: { totalTokens: 90_000 } });
    const entry = state.entryOf(ID);
    await state.json('edit', ID, '--strip-tools');
    expect(state.entryOf(ID)).toMatchObject({ totalTokensFresh: false });
    await state.json('restore', ID);
    expect(state.entryOf(ID)).toEqual(entry);
  });

  it('is left alone where it says no more than the context weighs', async () => {
    state.add(lines(), { entry: { totalTokens: 12, totalTokensFresh: true } });
    const entry = state.entryOf(ID);
    await state.json('edit', ID, '--strip-tools');
    expect(state.entryOf(ID)).toEqual(entry);
  });

  it('is left alone where it says nothing', async () => {
    state.add(lines());
    const entry = state.entryOf(ID);
    await state.json('edit', ID, '--strip-tools');
    expect(state.entryOf(ID)).toEqual(entry);
  });

  it('that the agent counted anew since the edit is not put back', async () => {
    const path = state.add(lines(), { entry: COUNTERS });
    await state.json('edit', ID, '--strip-tools');
    appendFileSync(
      path,
      '{"type":"message","timestamp":9,"message":{"role":"assistant","content":"More."}}\n',
    );
    const index = join(state.sessions, 'sessions.json');
    const counted = JSON.parse(readFileSync(index, 'utf8'));
    for (const entry of Object.values<Json>(counted)) {
      Object.assign(entry, { totalTokens: 31_000, totalTokensFresh: true });
    }
    writeFileSync(index, JSON.stringify(counted));
    await state.json('restore', ID);
    expect(state.entryOf(ID)).toMatchObject({ totalTokens: 31_000, totalTokensFresh: true });
  });

  it('of a key that has a new session by now is not changed', async () => {
    const path = state.add(lines(), { entry: COUNTERS });
    const index = join(state.sessions, 'sessions.json');
    writeFileSync(
      index,
      readFileSync(index, 'utf8').replaceAll(`"sessionId": "${ID}"`, '"sessionId": "newer"'),
    );
    const before = readFileSync(index, 'utf8');
    await state.json('edit', path, '--strip-tools');
    expect(readFileSync(index, 'utf8')).toBe(before);
  });

  it('of other sessions stay as they are', async () => {
    state.add(lines(), { entry: COUNTERS });
    state.add(createSessionWithTurns(1), { sessionId: 'other', entry: COUNTERS });
    const other = state.entryOf('other');
    await state.json('edit', ID, '--strip-tools');
    expect(state.entryOf('other')).toEqual(other);
  });
});

describe('a clone', () => {
  it('has the lowered usage where it is cleaned, and the recorded one where it is not', async () => {
    const path = state.add(withCost(createSessionWithTurns(30, 1, { usage: true, resultLength: 3000 })));
    const exact = await state.json('clone', ID);
    expect(usages(exact.clonedSessionPath)).toEqual(usages(path));
    const cleaned = await state.json('clone', ID, '--strip-tools');
    const last = usages(cleaned.clonedSessionPath).at(-1);
    expect(last).toMatchObject({ estimatedBy: 'openbot', totalTokens: cleaned.tokens.after, cost: COST });
    expect(usages(path).at(-1)).not.toHaveProperty('estimatedBy');
  });
});
