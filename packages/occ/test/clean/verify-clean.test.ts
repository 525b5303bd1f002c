import { describe, expect, test } from 'vitest';
import { findFault } from '../../src/rewrite/verify-clean.ts';
import { readTranscript } from './clean-bytes.ts';
import type { Line } from './clean-lines.ts';

const HEADER = { type: 'session', version: 3, id: 's', timestamp: 'T', cwd: '/w' };
const THINKING = { type: 'thinking', thinking: 'hm', thinkingSignature: 'c2ln' };
const text = (words: string) => ({ type: 'text', text: words });
const call = (id: string) => ({ type: 'toolCall', id, name: 'read', arguments: {} });
const message = (id: string, role: string, content: unknown, fields: Line = {}): Line => ({
  type: 'message',
  id,
  message: { role, content, ...fields },
});
const result = (id: string, toolCallId: string) =>
  message(id, 'toolResult', [text('done')], { toolCallId, toolName: 'read' });

/** Each line hangs from the one before it. */
function read(lines: readonly Line[]) {
  const linked = lines.map((line, index) => ({ ...line, parentId: lines[index - 1]?.id ?? null }));
  return readTranscript(Buffer.from([HEADER, ...linked].map((line) => `${JSON.stringify(line)}\n`).join('')));
}

/** Judges what is left when lines are taken out and others changed. */
function judge(
  before: readonly Line[],
  gone: readonly string[],
  changed: Readonly<Record<string, unknown>> = {},
) {
  const after = before
    .filter(({ id }) => !gone.includes(id as string))
    .map((line) => {
      const content = changed[line.id as string];
      return content === undefined ? line : { ...line, message: { ...(line.message as Line), content } };
    });
  const transcript = read(before);
  return findFault(transcript, read(after), {
    isRemoved: (index) => gone.includes(transcript.idOf(index) ?? ''),
    lonely: { calls: 9, results: 9 },
  });
}

describe('the verifier judges what a provider will see', () => {
  const turn = [
    message('q', 'user', 'go'),
    message('c', 'assistant', [THINKING, text('Reading.'), call('x')]),
    result('r', 'x'),
    message('a', 'assistant', [THINKING, text('Done.')]),
  ];

  test('words before thinking in what is one message to it', () => {
    expect(judge(turn, ['r'], { c: [text('Reading.')] })).toBe("text comes before an assistant's thinking");
    expect(judge(turn, ['r'], { c: [text('Reading.')], a: [text('Done.')] })).toBeUndefined();
    expect(judge(turn, ['r', 'c'])).toBeUndefined();
  });

  test('but not where they stood before it anyhow', () => {
    const words = [...turn.slice(0, 1), message('b', 'assistant', [text('Well.')]), ...turn.slice(1)];
    const cut = [message('n', 'user', 'and'), message('o', 'assistant', [text('a'), THINKING, text('b')])];
    expect(judge(words, ['r'], { c: [text('Reading.')] })).toBeUndefined();
    expect(judge([...turn, ...cut], [])).toBeUndefined();
  });

  test('a call without its result, and a result without its call', () => {
    expect(judge(turn, ['r'])).toBe('a call is not followed by its result');
    expect(judge(turn, [], { c: [THINKING, text('Reading.')] })).toBe('a result does not follow its call');
    expect(judge(turn, ['c'])).toBe('a result does not follow its call');
  });

  test('a pair that was parted before is not counted against it', () => {
    const late = [
      turn[0]!,
      turn[1]!,
      message('w', 'user', 'wait'),
      message('y', 'assistant', [text('yes')]),
      turn[2]!,
    ];
    expect(judge([...late, ...turn.slice(3)], ['w'])).toBeUndefined();
  });
});
