/** Small transcripts that the hunts of this folder once failed with. */
import { activePath } from '@openbot/sessions';
import { contextOf } from '@openbot/sessions/transcript';
import { describe, expect, test } from 'vitest';
import { findFault } from '../../src/rewrite/verify-clean.ts';
import { cleanBytes, readTranscript } from './clean-bytes.ts';
import { cleanLines, type Line } from './clean-lines.ts';
import {
  answers,
  asks,
  call,
  calls,
  contentOf,
  find,
  ids,
  LONG,
  message,
  says,
  transcript,
} from './openclaw-entries.ts';

const thinking = { type: 'thinking', thinking: 'first the file', thinkingSignature: 'c2ln' };

const bytesOf = (lines: readonly Line[]) =>
  Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));

function faultOf(lines: readonly Line[], keepTurnsWithTools: number): string | undefined {
  const cleaned = cleanBytes(bytesOf(lines), { keepTurnsWithTools, truncatePercent: 0 });
  return findFault(cleaned.transcript, readTranscript(cleaned.planned), cleaned.plan);
}

describe('thinking that stays', () => {
  test('does not come to be behind its own call because the message before it went', () => {
    const lines = transcript(
      calls('c1', thinking, call('x')),
      calls('c2', call('y'), thinking),
      answers('elsewhere', 'y'),
      { ...calls('c3', call('z')), parentId: 'c2' },
      answers('r3', 'z'),
    );
    const cleaned = cleanLines(lines, { keep: 0 });
    expect(contentOf(cleaned, 'c1')).toEqual(contentOf(lines, 'c1'));
    expect(faultOf(lines, 0)).toBeUndefined();
  });

  test('is parted from words by a result without a call, which stays too', () => {
    const lines = transcript(
      calls('c1', { type: 'text', text: 'Reading.' }, call('x', { text: LONG })),
      answers('orphan', 'y', LONG),
      calls('leaf', thinking),
    );
    const cleaned = cleanLines(lines, { keep: 0 });
    expect(ids(cleaned)).toEqual(['c1', 'orphan', 'leaf']);
    expect(faultOf(lines, 0)).toBeUndefined();
    expect(cleanLines(cleaned, { keep: 0 })).toEqual(cleaned);
  });

  test('and was behind words before keeps no old call', () => {
    const lines = transcript(
      asks('q1', 'go'),
      calls('c1', call('x', { text: LONG })),
      asks('q2', 'go on'),
      answers('r1', 'x', LONG),
      says('s2', 'Well.'),
      calls('c2', thinking, call('y')),
      answers('r2', 'y'),
      says('a2', 'done'),
    );
    expect(ids(cleanLines(lines, { keep: 1 }))).toEqual(['q1', 'q2', 's2', 'c2', 'r2', 'a2']);
    expect(faultOf(lines, 1)).toBeUndefined();
  });
});

test('a result that came turns later, where it parts words from thinking, keeps its call and the thinking beside it', () => {
  const lines = transcript(
    asks('q1', 'go'),
    calls('c0', call('w', { text: LONG })),
    calls('c1', thinking, call('x', { text: LONG })),
    asks('q2', 'go on'),
    says('s2', 'Well.'),
    answers('r1', 'x', LONG),
    calls('leaf', thinking),
  );
  const cleaned = cleanLines(lines, { keep: 0 });
  expect(ids(cleaned)).toEqual(['q1', 'c1', 'q2', 's2', 'r1', 'leaf']);
  expect(contentOf(cleaned, 'c1')).toMatchObject([thinking, { id: 'x' }]);
  expect(faultOf(lines, 0)).toBeUndefined();
});

describe('a call that another branch needs, and whose id came again before any result', () => {
  const failed = (id: string, ...content: Line[]) =>
    message(id, { role: 'assistant', content, stopReason: 'error' });

  test.each([
    ['in a message with a result', [calls('c2', call('x', { text: LONG })), answers('r2', 'x', LONG)]],
    ['in a message that failed', [failed('c2', call('x', { text: LONG })), answers('r2', 'x', LONG)]],
    [
      "in a message that failed, behind a person's",
      [asks('q2', 'go on'), failed('c2', call('x', { text: LONG })), answers('r2', 'x', LONG)],
    ],
    ['without any result', [calls('c2', call('x', { text: LONG }))]],
  ])('keeps what a provider takes for its result: %s', (_, [again, ...results]) => {
    const lines = transcript(
      asks('q1', 'go'),
      calls('c1', call('x')),
      answers('elsewhere', 'x'),
      { ...again, parentId: 'c1' },
      ...results,
      says('a1', 'done'),
    );
    const cleaned = cleanLines(lines, { keep: 0 });
    expect(ids(cleaned)).toEqual(ids(lines));
    expect(find(cleaned, 'elsewhere')).toEqual(find(lines, 'elsewhere'));
    expect(JSON.stringify(cleaned).length).toBeLessThan(JSON.stringify(lines).length);
    expect(faultOf(lines, 0)).toBeUndefined();
  });
});

const line = (uuid: string, parentUuid: string | null, type: string, body: Line): Line => ({
  parentUuid,
  isSidechain: false,
  type,
  message: body,
  uuid,
});
const block = (uuid: string, parentUuid: string | null, id: string, content: Line) =>
  line(uuid, parentUuid, 'assistant', { id, role: 'assistant', content: [content] });
const thought = (uuid: string, parentUuid: string | null, id: string) =>
  block(uuid, parentUuid, id, { type: 'thinking', thinking: 'hm', signature: 'c2ln' });
const asked = (uuid: string, parentUuid: string | null, id = uuid) =>
  block(uuid, parentUuid, id, { type: 'tool_use', id: `of ${uuid}`, name: 'Bash', input: {} });
const answered = (uuid: string, parentUuid: string, ...beside: Line[]) => {
  const result = { tool_use_id: `of ${parentUuid}`, type: 'tool_result', content: 'x'.repeat(300) };
  return line(uuid, parentUuid, 'user', { role: 'user', content: [result, ...beside] });
};
const said = (uuid: string, parentUuid: string, id = uuid) =>
  block(uuid, parentUuid, id, { type: 'text', text: uuid });
const prompt = line('ask', null, 'user', { role: 'user', content: 'go' });

test('words of Claude Code stay on the active path where the conversation went on from their thinking', () => {
  const lines = [
    ...[prompt, asked('c1', 'ask'), answered('r1', 'c1'), thought('t', 'r1', 'm'), said('words', 't', 'm')],
    ...[asked('c2', 't'), answered('r2', 'c2'), said('answer', 'r2')],
  ];
  const cleaned = cleanLines(lines, { keep: 0 });
  expect(cleaned.map(({ uuid }) => uuid)).toEqual(['ask', 't', 'words', 'answer']);
  const after = readTranscript(bytesOf(cleaned));
  expect(activePath(after).entries.map((index) => after.idOf(index))).toContain('words');
  expect(cleanLines(cleaned, { keep: 0 })).toEqual(cleaned);
});

test('lines of one message with nothing between them do not go on with the message before a result', () => {
  const lines = [
    ...[prompt, thought('t1', 'ask', 'm1'), asked('c1', 't1', 'm1')],
    answered('r1', 'c1', { type: 'text', text: 'words of a person beside it' }),
    ...[
      thought('t2', 't1', 'm2'),
      said('s2', 't2', 'm2'),
      asked('c2', 's2', 'm2'),
      thought('leaf', 'c2', 'm3'),
    ],
  ];
  expect(faultOf(lines, 0)).toBeUndefined();
  expect(cleanLines(lines, { keep: 0 }).map(({ uuid }) => uuid)).toContain('c2');
});

test('a conversation that was rewound to a call which a compaction kept goes on with the summary', () => {
  const boundary = {
    ...{
      parentUuid: null,
      isSidechain: false,
      type: 'system',
      subtype: 'compact_boundary',
      uuid: 'boundary',
    },
    compactMetadata: {
      preservedMessages: { anchorUuid: 'summary', uuids: ['c1', 'r1'], allUuids: ['c1', 'r1'] },
    },
  };
  const summary = {
    ...line('summary', 'boundary', 'user', { role: 'user', content: 'what was said so far' }),
    isCompactSummary: true,
  };
  const lines = [
    ...[prompt, said('old', 'ask'), asked('c1', 'old'), answered('r1', 'c1'), boundary, summary],
    said('answer', 'r1'),
  ];
  const cleaned = cleanLines(lines, { keep: 0 });
  const after = readTranscript(bytesOf(cleaned));
  const { entries } = contextOf(after, activePath(after).entries);
  expect(entries.map((index) => after.idOf(index))).toEqual(['summary', 'c1', 'r1', 'answer']);
  expect(JSON.stringify(cleaned)).toContain('[truncated]');
});
