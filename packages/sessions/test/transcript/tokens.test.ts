import { describe, expect, test } from 'vitest';
import { TranscriptBuilder } from '../../src/transcript/builder.ts';
import { contextOf } from '../../src/transcript/context/context.ts';
import { calibrate, contextTokens, estimateTokens } from '../../src/transcript/context/tokens.ts';
import { LineSplitter } from '../../src/transcript/lines.ts';
import type { Transcript } from '../../src/transcript/transcript.ts';
import { activePath } from '../../src/transcript/tree/tree.ts';
import { turnsOf } from '../../src/transcript/tree/turns.ts';

function read(lines: readonly object[]): Transcript {
  const builder = new TranscriptBuilder();
  const splitter = new LineSplitter(builder);
  const all = [{ type: 'session', version: 3, id: 's', cwd: '/w' }, ...lines];
  splitter.push(Buffer.from(all.map((line) => `${JSON.stringify(line)}\n`).join('')));
  splitter.finish();
  return builder.finish(splitter.offset);
}

let last: string | null = null;
let count = 0;
function message(body: object): object {
  const parentId: string | null = last;
  last = (++count).toString(16).padStart(8, '0');
  return { type: 'message', id: last, parentId, message: body };
}
const user = (text: string) => message({ role: 'user', content: text });
const reply = (text: string, totalTokens: number, more: object = {}) =>
  message({
    role: 'assistant',
    content: [{ type: 'text', text }],
    usage: { input: totalTokens, output: 0, totalTokens, ...more },
    stopReason: 'stop',
  });
const conversation = (...make: (() => object)[]) => {
  last = null;
  return read(make.map((one) => one()));
};

describe('context tokens', () => {
  test("a provider's figure on the last message is the figure", () => {
    const transcript = conversation(
      () => user('x'.repeat(4000)),
      () => reply('y'.repeat(400), 3100),
    );
    expect(contextTokens(transcript)).toMatchObject({
      tokens: 3100,
      basis: 'recorded',
      byKind: { user: 1000, assistant: 100, overhead: 2000 },
    });
  });

  test("what came since is estimated with the session's own ratio", () => {
    const transcript = conversation(
      () => user('x'.repeat(1000)),
      () => reply('', 2500),
      () => user('x'.repeat(10_000)),
      () => reply('', 7500),
      () => user('x'.repeat(4000)),
    );
    // 10,000 characters took 5,000 tokens: half a token each, over an overhead of 2,000.
    expect(contextTokens(transcript)).toMatchObject({
      tokens: 9500,
      basis: 'calibrated',
      byKind: { overhead: 2000 },
    });
    const calibration = calibrate(transcript, contextOf(transcript, activePath(transcript).entries));
    expect(estimateTokens(calibration, 0)).toBe(2000);
    expect(estimateTokens(calibration, 2000)).toBe(3000);
  });

  test('without figures four characters are a token, and it is said', () => {
    const transcript = conversation(() => user('x'.repeat(4000)));
    expect(contextTokens(transcript)).toMatchObject({ tokens: 1000, basis: 'estimated' });
  });

  test('a figure that we wrote is never taken for a recorded one', () => {
    const transcript = conversation(
      () => user('x'.repeat(4000)),
      () => reply('', 1200, { estimatedBy: 'openbot' }),
    );
    expect(contextTokens(transcript)).toMatchObject({ tokens: 1200, basis: 'estimated' });
  });

  test('failed replies and mirrored deliveries say nothing about the context', () => {
    const transcript = conversation(
      () => user('x'.repeat(4000)),
      () => reply('', 1500),
      () =>
        message({
          role: 'assistant',
          content: [],
          usage: { input: 9, output: 9, totalTokens: 99_999 },
          stopReason: 'error',
        }),
      () =>
        message({
          role: 'assistant',
          content: [{ type: 'text', text: '' }],
          provider: 'openclaw',
          model: 'delivery-mirror',
          usage: { input: 0, output: 0, totalTokens: 0 },
          stopReason: 'stop',
        }),
    );
    expect(contextTokens(transcript)).toMatchObject({ tokens: 1500, basis: 'recorded' });
  });

  test('a figure from before a compaction is not the figure, but still gives ratio and overhead', () => {
    const transcript = conversation(
      () => user('x'.repeat(40_000)),
      () => reply('', 12_000),
      () => {
        const parentId = last;
        last = 'c0000000';
        return {
          type: 'compaction',
          id: last,
          parentId,
          summary: 'z'.repeat(400),
          firstKeptEntryId: 'c0000000',
          tokensBefore: 12_000,
        };
      },
    );
    expect(contextTokens(transcript)).toMatchObject({
      tokens: 2100,
      basis: 'estimated',
      byKind: { overhead: 2000, other: 100 },
    });
  });

  test('an edit of what an entry gives counts instead of the entry', () => {
    const make = (replacement: object | null) =>
      conversation(
        () => user('x'.repeat(4000)),
        () => ({ type: 'context_edit', id: 'e0000000', parentId: last, targetId: last, replacement }),
      );
    expect(contextTokens(make(null)).tokens).toBe(0);
    expect(contextTokens(make({ content: 'y'.repeat(40) })).tokens).toBe(10);
    expect(contextTokens(make({ content: [{ type: 'text', text: 'y'.repeat(80) }] })).tokens).toBe(20);
  });

  test('a figure from before an edit is not the figure any more', () => {
    const make = (replacement: object | null) =>
      conversation(
        () => user('x'.repeat(40_000)),
        () => reply('', 12_000),
        () => ({ type: 'context_edit', id: 'e0000000', parentId: last, targetId: firstId, replacement }),
      );
    let firstId = '';
    const withFirst = (replacement: object | null) => {
      firstId = (count + 1).toString(16).padStart(8, '0');
      return contextTokens(make(replacement));
    };
    // 40,000 characters at four a token over an overhead of 2,000: what is left is the overhead and the new text.
    expect(withFirst({ content: 'y'.repeat(400) })).toMatchObject({ tokens: 2100, basis: 'calibrated' });
    expect(withFirst(null)).toMatchObject({ tokens: 2000, basis: 'calibrated' });
  });

  test('tools are accounted by name, second copies not at all', () => {
    const transcript = conversation(
      () => user('go'),
      () =>
        message({
          role: 'assistant',
          content: [
            {
              type: 'toolCall',
              id: 'c',
              name: 'read',
              arguments: { path: 'a' },
              partialArgs: 'x'.repeat(9000),
            },
          ],
        }),
      () =>
        message({
          role: 'toolResult',
          toolCallId: 'c',
          toolName: 'read',
          content: [{ type: 'text', text: 'r'.repeat(4000) }],
          details: { content: 'r'.repeat(4000) },
        }),
    );
    const figures = contextTokens(transcript);
    expect(figures.byTool.read).toBeGreaterThanOrEqual(1000);
    expect(figures.tokens).toBeLessThan(1010);
  });
});

describe('turns', () => {
  test('run from one text of a person to the next', () => {
    const transcript = conversation(
      () => reply('hello, I am here', 1),
      () => user('first'),
      () =>
        message({ role: 'assistant', content: [{ type: 'toolCall', id: 'c', name: 'read', arguments: {} }] }),
      () => message({ role: 'toolResult', toolCallId: 'c', content: 'x' }),
      () => reply('done', 1),
      () => message({ role: 'user', content: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }] }),
      () => reply('nice', 1),
      () => message({ role: 'user', content: [] }),
    );
    const turns = turnsOf(transcript, activePath(transcript).entries);
    expect(
      turns.map(({ first, end, startsWithPerson, toolCalls }) => [first, end, startsWithPerson, toolCalls]),
    ).toEqual([
      [0, 1, false, 0],
      [1, 5, true, 1],
      [5, 8, true, 0],
    ]);
  });

  test('settings before the first message are no turn', () => {
    const transcript = read([
      { type: 'model_change', id: 'a', parentId: null },
      { type: 'message', id: 'b', parentId: 'a', message: { role: 'user', content: 'x' } },
    ]);
    expect(turnsOf(transcript, [1, 2])).toMatchObject([
      { turn: 0, first: 1, end: 2, startsWithPerson: true },
    ]);
  });
});
