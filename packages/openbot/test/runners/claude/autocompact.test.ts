/** When Claude Code compacts a conversation by itself, and that it can be kept from it. */
import { describe, expect, it } from 'vitest';
import { say } from '../../../../../test/imitations/messages-format.ts';
import type { RunRequest } from '../../../src/runners/contract.ts';
import { answer, MODEL, missing, type Talk, useClaude } from './claude-talk.ts';

const LONG = { timeout: 60_000 };
const claude = useClaude();

/** A run whose answer makes the conversation so long. What became of it, in the order of its events. */
async function ask(talk: Talk, prompt: string, tokens: number, more: Partial<RunRequest>): Promise<string> {
  const events = await talk.ask(
    prompt,
    (request) =>
      JSON.stringify(request.messages.at(-1)).includes('Do NOT call any tools')
        ? answer('<summary>They count.</summary>')
        : { blocks: [say('Yes.')], usage: { input_tokens: tokens } },
    more,
  );
  return events
    .flatMap((event) => {
      if (event.type === 'compaction') return [`compaction ${event.phase}`];
      if (event.type === 'message-end') return [event.text];
      return event.type !== 'end'
        ? []
        : [event.reason === 'overflow' && event.isEarly ? 'early' : event.reason];
    })
    .join(', ');
}

describe.skipIf(missing !== undefined)('the compaction of Claude Code', () => {
  it('comes where the reserve of the settings is reached, and can wait', LONG, async () => {
    const talk = await claude.openTalk();
    const asked = { model: { ...MODEL, contextWindow: 200_000 }, reserveTokens: 60_000 };
    expect(claude.openRunner().compactsAt!(asked.model, 60_000, 0)).toBe(140_000);
    await ask(talk, 'one', 138_000, asked);
    expect(await ask(talk, 'two', 140_100, asked)).toBe('Yes., stop');
    const id = talk.ownId();
    expect(await ask(talk, 'three', 140_100, { ...asked, whenFull: () => 'go-on' })).toBe('Yes., stop');
    expect(await ask(talk, 'four', 1000, asked)).toBe('compaction start, compaction end, Yes., stop');
    expect(await ask(talk, 'five', 140_100, asked)).toBe('Yes., stop');
    expect(await ask(talk, 'six', 140_100, { ...asked, whenFull: () => 'stop' })).toBe('early');
    // Nothing was asked of the model.
    expect(claude.bench.api.conversations).toEqual([]);
    expect(talk.ownId()).toBe(id);
  });

  it('comes in a window that is smaller than any that Claude Code takes', LONG, async () => {
    const talk = await claude.openTalk();
    const asked = { model: { ...MODEL, contextWindow: 50_000 } };
    expect(claude.openRunner().compactsAt!(asked.model, undefined, 0)).toBe(40_000);
    await ask(talk, 'one', 38_000, asked);
    expect(await ask(talk, 'two', 40_100, asked)).toBe('Yes., stop');
    expect(await ask(talk, 'three', 1000, asked)).toBe('compaction start, compaction end, Yes., stop');
  });

  it.each([
    [undefined, undefined, undefined],
    // 20,000 for an answer and 13,000 for the summary are always free.
    [200_000, undefined, 167_000],
    [200_000, 0, 167_000],
    [200_000, 50_000, 150_000],
    [1_000_000, undefined, 967_000],
    [2_000_000, undefined, 967_000],
    [100_000, 5000, 67_000],
    [100_000, 99_000, 8000],
    [10_000, undefined, 8000],
  ])('of a window of %j with a reserve of %j is at %j tokens', (contextWindow, reserve, expected) => {
    expect(claude.openRunner().compactsAt!({ ...MODEL, contextWindow }, reserve, 0)).toBe(expected);
  });
});
