import { expect, test } from 'vitest';
import type { RunEvent } from '../../src/runners/contract.ts';
import { outcomeOfRun, tallyRun } from '../../src/turn/run-tally.ts';

const report = { source: 'run' } as never;
const run = {
  model: { provider: 'p', model: 'm', contextWindow: 1000 },
  systemPrompt: { text: '', report },
  startedAt: 1,
  endedAt: 5,
};

async function* play(events: readonly RunEvent[]): AsyncGenerator<RunEvent> {
  yield* events;
}
const outcome = async (...events: RunEvent[]) => outcomeOfRun(await tallyRun(play(events)), run);

test('texts, the last usage and the compactions that succeeded', async () => {
  const events: RunEvent[] = [
    { type: 'text', delta: 'a' },
    { type: 'message-end', text: 'a' },
    { type: 'usage', usage: { input: 3 } },
    { type: 'thinking', delta: 'h' },
    { type: 'tool-call', id: '1', name: 'read_file', arguments: { path: 'x' } },
    { type: 'tool-result', id: '1', name: 'read_file', text: 'y', isError: false },
    { type: 'sent', text: 'told' },
    { type: 'usage', usage: { input: 1 } },
    { type: 'compaction', phase: 'start' },
    { type: 'compaction', phase: 'end', willRetry: true, tokensAfter: 9 },
    { type: 'compaction', phase: 'start' },
    { type: 'compaction', phase: 'end', willRetry: false, tokensAfter: 8 },
    { type: 'message-end', text: ' ' },
    { type: 'message-end', text: 'b' },
    { type: 'end', reason: 'stop' },
  ];
  const seen: RunEvent[] = [];
  const tally = await tallyRun(play(events), (event) => seen.push(event));
  expect(seen).toEqual(events);
  expect(tally).toEqual({
    texts: ['a', 'b'],
    thinking: 'h',
    tools: [{ name: 'read_file', arguments: { path: 'x' }, result: 'y', isError: false }],
    sent: { texts: ['told'], mediaUrls: [] },
    usage: { input: 1 },
    totalUsage: { input: 4, output: 0, cacheRead: 0, cacheWrite: 0 },
    compactions: { count: 1, tokensAfter: 8, isNewerThanUsage: true },
    end: { type: 'end', reason: 'stop' },
  });
  const later = await tallyRun(play([...events.slice(0, 12), { type: 'usage', usage: { input: 2 } }]));
  expect(later.compactions.isNewerThanUsage).toBe(false);
  expect(later.end).toMatchObject({ reason: 'error' });
});

test('a run that came to its end', async () => {
  const events: RunEvent[] = [
    { type: 'message-end', text: 'a' },
    { type: 'usage', usage: { input: 1 } },
    { type: 'end', reason: 'stop' },
  ];
  expect(await outcome(...events)).toEqual({
    usage: { input: 1 },
    compactions: { count: 0, isNewerThanUsage: false },
    status: 'done',
    abortedBy: null,
    startedAt: 1,
    endedAt: 5,
    systemSent: true,
    modelUsed: 'm',
    providerUsed: 'p',
    thinkingLevel: 'off',
    systemPromptReport: report,
    contextTokensUsed: 1000,
  });
});

test.each([
  [{ reason: 'aborted', cause: 'timeout' }, 'timeout', 'timeout'],
  [{ reason: 'aborted', cause: 'interrupt' }, 'killed', 'interrupt'],
  [{ reason: 'aborted', cause: 'shutdown' }, 'killed', 'shutdown'],
  [{ reason: 'aborted' }, 'killed', 'person'],
  [{ reason: 'error', error: 'x', isTransient: false }, 'failed', null],
  [{ reason: 'overflow', error: 'x' }, 'failed', null],
] as const)('%j', async (end, status, abortedBy) => {
  const result = await outcome({ type: 'end', ...end });
  expect(result).toMatchObject({ status, abortedBy });
  // The model never saw a prompt.
  expect(result).not.toHaveProperty('systemSent');
  expect(result).not.toHaveProperty('modelUsed');
});
