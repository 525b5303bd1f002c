import { describe, expect, test } from 'vitest';
import {
  contextOf,
  findRefusals,
  LineSplitter,
  modelMessagesOf,
  TranscriptBuilder,
} from '../../src/exports/transcript.ts';
import { activePath } from '../../src/index.ts';
import { answeredIdsOf, callIdsOf } from '../../src/transcript/context/model-messages.ts';

type Json = Record<string, unknown>;

const HEADER = { type: 'session', version: 3, id: 's', timestamp: 'T', cwd: '/w' };

function read(lines: readonly Json[]) {
  const builder = new TranscriptBuilder();
  const splitter = new LineSplitter(builder);
  splitter.push(Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join('')));
  splitter.finish();
  const transcript = builder.finish(splitter.offset);
  const messages = modelMessagesOf(transcript, contextOf(transcript, activePath(transcript).entries));
  return {
    refusals: findRefusals(transcript, messages).map(({ rule, entry, callId }) =>
      [rule, entry, callId].filter((part) => part !== undefined),
    ),
    told: messages.map((message) => ({
      role: message.role,
      entries: message.entries,
      thinking: message.beginsWithThinking ? 'first' : message.hasThinking ? 'later' : 'none',
      calls: callIdsOf(transcript, message),
      results: answeredIdsOf(transcript, message),
    })),
  };
}

/** Each line hangs from the one before it. */
function chain(lines: readonly Json[]): Json[] {
  return lines.map((line, index) => ({
    ...line,
    id: `e${index}`,
    parentId: index === 0 ? null : `e${index - 1}`,
  }));
}

const message = (role: string, content: unknown, fields: Json = {}): Json => ({
  type: 'message',
  message: { role, content, ...fields },
});
const text = (words: string) => ({ type: 'text', text: words });
const thinking = { type: 'thinking', thinking: 'hm', thinkingSignature: 'c2ln' };
const call = (id: string) => ({ type: 'toolCall', id, name: 'read', arguments: {} });
const result = (id: string) => message('toolResult', [text('done')], { toolCallId: id, toolName: 'read' });
const none = { calls: [], results: [] };

describe("what a provider sees of OpenClaw's and pi's transcripts", () => {
  const openclaw = (...lines: Json[]) => read([HEADER, ...chain(lines)]);

  test('neighbours of one role are one message, also across what it does not see', () => {
    const { told, refusals } = openclaw(
      message('user', 'go'),
      message('assistant', [thinking, text('a'), call('x'), call('y')]),
      result('x'),
      { type: 'model_change', provider: 'p', modelId: 'm' },
      result('y'),
      message('assistant', [thinking, text('b')], { stopReason: 'aborted' }),
      message('assistant', [text('c')]),
      message('user', []),
      message('assistant', [thinking, text('d')]),
    );
    expect(told).toEqual([
      { role: 'user', entries: [1], thinking: 'none', ...none },
      { role: 'assistant', entries: [2], thinking: 'first', calls: ['x', 'y'], results: [] },
      { role: 'user', entries: [3, 5], thinking: 'none', calls: [], results: ['x', 'y'] },
      { role: 'assistant', entries: [7, 9], thinking: 'later', ...none },
    ]);
    expect(refusals).toEqual([['thinking comes first', 7]]);
  });

  test.each([
    ['thinking alone', [thinking], 'first'],
    ['text of no length before it', [text(''), thinking, text('a')], 'first'],
    ['redacted thinking', [{ type: 'redacted_thinking', data: 'x' }, text('a')], 'first'],
    ['text before it', [text('a'), thinking], 'later'],
    ['a call before it', [call('x'), thinking], 'later'],
    ['a block of an unknown kind before it', [{ type: 'of_the_future' }, thinking], 'later'],
  ])('knows what comes first: %s', (_, content, expected) => {
    expect(openclaw(message('user', 'go'), message('assistant', content)).told[1]!.thinking).toBe(expected);
  });

  test('an entry that an edit replaced or removed counts as the model reads it', () => {
    const { told } = openclaw(
      message('user', 'go'),
      message('assistant', [thinking, text('a')]),
      message('user', 'aside'),
      message('assistant', [thinking, text('b')]),
      { type: 'context_edit', targetId: 'e2', replacement: null },
      { type: 'context_edit', targetId: 'e3', replacement: { content: 'shorter' } },
    );
    expect(told).toEqual([
      { role: 'user', entries: [1], thinking: 'none', ...none },
      { role: 'assistant', entries: [2, 4], thinking: 'first', ...none },
    ]);
  });

  test('a call is answered in the next message, and a result answers the one before it', () => {
    const { refusals } = openclaw(
      message('user', 'go'),
      message('assistant', [call('x'), call('y')]),
      result('x'),
      message('user', 'still there?'),
      message('assistant', [text('yes'), call('z')]),
      result('y'),
    );
    expect(refusals).toEqual([
      ['a call has its result', 2, 'y'],
      ['a result has its call', 6, 'y'],
      ['a call has its result', 5, 'z'],
    ]);
  });

  test('calls with one id in one message are each without a result, or none is', () => {
    const twice = [message('assistant', [call('x'), call('x')]), message('assistant', [call('x')])];
    expect(openclaw(...twice).refusals).toEqual([
      ['a call has its result', 1, 'x'],
      ['a call has its result', 2, 'x'],
    ]);
    expect(openclaw(...twice, result('x')).refusals).toEqual([]);
  });

  test('a call has one result', () => {
    const { refusals } = openclaw(
      message('user', 'go'),
      message('assistant', [call('x')]),
      result('x'),
      result('x'),
    );
    expect(refusals).toEqual([['a result has its call', 4, 'x']]);
  });
});

describe("what a provider sees of Claude Code's transcripts", () => {
  const line = (
    uuid: string,
    parentUuid: string | null,
    type: string,
    content: unknown,
    id?: string,
  ): Json => ({
    type,
    uuid,
    parentUuid,
    sessionId: 's',
    message: { role: type, content, id },
  });
  const use = (id: string) => ({ type: 'tool_use', id, name: 'Read', input: {} });
  const done = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'done' });

  test('the lines of one message are one, whatever is between them', () => {
    const { told, refusals } = read([
      line('q', null, 'user', 'go'),
      line('t', 'q', 'assistant', [thinking], 'm1'),
      line('x', 't', 'assistant', [use('x')], 'm1'),
      line('rx', 'x', 'user', [done('x')]),
      line('y', 'x', 'assistant', [use('y')], 'm1'),
      line('ry', 'y', 'user', [done('y')]),
      line('a', 'ry', 'assistant', [{ type: 'redacted_thinking', data: 'd' }], 'm2'),
      line('b', 'a', 'assistant', [text('done')], 'm2'),
    ]);
    expect(told).toEqual([
      { role: 'user', entries: [0], thinking: 'none', ...none },
      { role: 'assistant', entries: [1, 2, 4], thinking: 'first', calls: ['x', 'y'], results: [] },
      { role: 'user', entries: [3, 5], thinking: 'none', calls: [], results: ['x', 'y'] },
      { role: 'assistant', entries: [6, 7], thinking: 'first', ...none },
    ]);
    expect(refusals).toEqual([]);
  });
});
