/** The figures from which OpenClaw tells how full the context is, after a clean. */
import { expect, test } from 'vitest';
import { generateEvents } from '../../../sessions/test/openclaw-db/setup/compose-turns.ts';
import { type Json, makeHome } from './database-home.ts';
import { readEntryOf, readLinesOf } from './look-into.ts';

const ID = '00000000-0000-4000-8000-000000000001';
const KEY = 'agent:main:main';

function make(contextUsage: boolean, entry: object) {
  const events = generateEvents({
    seed: 6,
    turns: 8,
    rounds: 2,
    resultLength: 4000,
    sessionId: ID,
    contextUsage,
  });
  return makeHome([{ key: KEY, events, entry: { ...entry } }]);
}

const usagesIn = (path: string): Map<string, Json> =>
  new Map(
    readLinesOf(path, ID).flatMap(({ text }) => {
      const { id, message } = JSON.parse(text);
      return message?.usage === undefined ? [] : [[id, message.usage]];
    }),
  );

test.each([true, false])(
  'the last answer has the size of the cleaned context, marked as ours (recorded apart: %s)',
  async (contextUsage) => {
    const budget = { state: 'ok', totalTokens: 25_000 };
    const home = make(contextUsage, {
      totalTokens: 25_000,
      totalTokensFresh: true,
      contextBudgetStatus: budget,
    });
    const before = usagesIn(home.path);
    const { tokens } = await home.json('edit', ID, '--strip-tools=extreme');
    const after = usagesIn(home.path);
    const last = [...after.keys()].at(-1)!;
    for (const [id, usage] of after) if (id !== last) expect(usage).toEqual(before.get(id));
    const [was, is] = [before.get(last), after.get(last)];
    expect(tokens.after).toBeLessThan(tokens.before);
    expect(is).toMatchObject({ totalTokens: tokens.after, estimatedBy: expect.any(String), cost: was.cost });
    expect(is.input + is.output).toBe(tokens.after);
    if (contextUsage)
      expect(is.contextUsage).toMatchObject({ state: 'available', totalTokens: tokens.after });
    else expect(is).not.toHaveProperty('contextUsage');
    const { entry } = readEntryOf(home.path, KEY);
    expect(entry).toMatchObject({ totalTokens: tokens.after, totalTokensFresh: false });
    expect(entry).not.toHaveProperty('contextBudgetStatus');
  },
);

test('an entry that counts less, or nothing, stays as it is', async () => {
  for (const counted of [{ totalTokens: 5 }, {}]) {
    const home = make(false, { ...counted, contextBudgetStatus: { state: 'ok' } });
    const before = readEntryOf(home.path, KEY);
    expect(await home.json('edit', ID, '--strip-tools=extreme')).toMatchObject({ changed: true });
    expect(readEntryOf(home.path, KEY)).toEqual(before);
  }
});
