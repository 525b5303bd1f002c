/** What becomes of thinking when calls go, and what it takes with it. */
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
  says,
  transcript,
  turn,
} from './openclaw-entries.ts';

const thinking = { type: 'thinking', thinking: 'first the file', thinkingSignature: 'c2ln' };
const text = (words: string, fields: Line = {}): Line => ({ type: 'text', text: words, ...fields });

test('thinking of a turn goes with its calls: what is left reads as one message, which begins with words', () => {
  const lines = transcript(
    asks('q1', 'go'),
    calls('c1', thinking, { type: 'text', text: 'Reading.' }, call('x')),
    answers('r1', 'x'),
    calls('c2', thinking, { type: 'text', text: 'Again.' }, call('y')),
    answers('r2', 'y'),
    calls('t1', { type: 'thinking', thinking: '', thinkingSignature: 'cmVk', redacted: true }),
    calls('a1', thinking, { type: 'text', text: 'Done.' }),
    asks('q2', 'thanks'),
    calls('a2', thinking, { type: 'text', text: 'You are welcome.' }),
  );
  const cleaned = cleanLines(lines, { keep: 0 });
  expect(ids(cleaned)).toEqual(['q1', 'c1', 'c2', 'a1', 'q2', 'a2']);
  expect(contentOf(cleaned, 'c1')).toEqual([{ type: 'text', text: 'Reading.' }]);
  expect(contentOf(cleaned, 'c2')).toEqual([{ type: 'text', text: 'Again.' }]);
  expect(contentOf(cleaned, 'a1')).toEqual([{ type: 'text', text: 'Done.' }]);
  expect(find(cleaned, 'a2')).toEqual(find(lines, 'a2'));
  expect(cleanLines(cleaned, { keep: 0 })).toEqual(cleaned);
});

test('the thinking of a turn that is shortened stays', () => {
  const lines = transcript(
    asks('q1', 'go'),
    calls('c1', thinking, call('x')),
    answers('r1', 'x', LONG),
    calls('a1', thinking, { type: 'text', text: 'Done.' }),
  );
  const cleaned = cleanLines(lines, { keep: 1, truncate: 100 });
  expect(find(cleaned, 'c1')).toEqual(find(lines, 'c1'));
  expect(find(cleaned, 'a1')).toEqual(find(lines, 'a1'));
});

describe('an exchange that is not finished keeps its thinking', () => {
  const open = (said: Line[]) =>
    transcript(
      asks('q1', 'go'),
      calls('c1', thinking, ...said, call('x', { text: LONG })),
      answers('r1', 'x', LONG),
      calls('c2', thinking, { type: 'text', text: 'And this.' }, call('y')),
      answers('r2', 'y', LONG),
    );

  test('where words would come before it, the calls of its turn are shortened instead', () => {
    const lines = open([{ type: 'text', text: 'Reading.' }]);
    const cleaned = cleanLines(lines, { keep: 0 });
    expect(ids(cleaned)).toEqual(ids(lines));
    expect(contentOf(cleaned, 'c1')).toMatchObject([thinking, { text: 'Reading.' }, { id: 'x' }]);
    expect(JSON.stringify(contentOf(cleaned, 'r1'))).toContain('[truncated]');
    expect(cleaned.slice(4)).toEqual(lines.slice(4));
    expect(cleanLines(cleaned, { keep: 0 })).toEqual(cleaned);
  });

  test.each([[[]], [[{ type: 'text', text: '\n\n' }]]])('where there are none, they go: %j', (said) => {
    const lines = open(said);
    const cleaned = cleanLines(lines, { keep: 0 });
    expect(ids(cleaned)).toEqual(['q1', 'c2', 'r2']);
    expect(contentOf(cleaned, 'c2')).toEqual(contentOf(lines, 'c2'));
  });
});

test('a last message of thinking alone cannot go, and keeps it', () => {
  const lines = transcript(
    asks('q1', 'go'),
    calls('c1', thinking, { type: 'text', text: 'Reading.' }, call('x')),
    answers('r1', 'x', LONG),
    calls('leaf', thinking),
  );
  const cleaned = cleanLines(lines, { keep: 0 });
  expect(ids(cleaned)).toEqual(ids(lines));
  expect(find(cleaned, 'leaf')).toEqual(find(lines, 'leaf'));
});

test('a call that something else needs keeps its thinking, and so does the turn around it', () => {
  const lines = transcript(
    asks('q1', 'go'),
    calls('c1', thinking, { type: 'text', text: 'Reading.' }, call('x')),
    answers('r1', 'x', LONG),
    calls('c2', thinking, call('y'), call('z')),
    answers('rz', 'z'),
    answers('ry', 'y'),
    { ...calls('a1', thinking, { type: 'text', text: 'Done.' }), parentId: 'rz' },
  );
  const cleaned = cleanLines(lines, { keep: 0 });
  expect(ids(cleaned)).toEqual(ids(lines));
  expect(contentOf(cleaned, 'c2')).toEqual(contentOf(lines, 'c2'));
  expect(contentOf(cleaned, 'a1')).toEqual(contentOf(lines, 'a1'));
});

test('a result that came turns later stays where it parts words from thinking that stays', () => {
  const lines = transcript(
    asks('q1', 'go'),
    calls('c1', call('x', { text: LONG })),
    says('a1', 'it takes a while'),
    asks('q2', 'go on'),
    says('s2', 'Well.'),
    answers('r1', 'x', LONG),
    calls('c2', thinking, call('y')),
    answers('r2', 'y'),
    says('a2', 'done'),
  );
  const cleaned = cleanLines(lines, { keep: 1 });
  expect(ids(cleaned)).toEqual(ids(lines));
  expect(JSON.stringify(contentOf(cleaned, 'r1'))).toContain('[truncated]');
  expect(find(cleaned, 'c2')).toEqual(find(lines, 'c2'));
});

test("what an edit of the agent's took out does not part two turns", () => {
  const lines = transcript(
    asks('q1', 'go'),
    calls('c1', thinking, { type: 'text', text: 'Reading.' }, call('x')),
    answers('r1', 'x', LONG),
    asks('q2', 'never said'),
    calls('a2', thinking, { type: 'text', text: 'Done.' }),
    { type: 'context_edit', id: 'e', targetId: 'q2', replacement: null },
  );
  expect(contentOf(cleanLines(lines, { keep: 0 }), 'a2')).toEqual([{ type: 'text', text: 'Done.' }]);
});

describe('a turn that an earlier version left with thinking behind words', () => {
  const left = [
    asks('q0', 'go'),
    says('c0', 'Reading.'),
    calls('a0', thinking, { type: 'text', text: 'Done.' }),
  ];

  test('is mended by a clean that changes something', () => {
    const cleaned = cleanLines(transcript(...left, ...turn(1)), { keep: 0 });
    expect(contentOf(cleaned, 'a0')).toEqual([{ type: 'text', text: 'Done.' }]);
  });

  test('is no reason to change anything', () => {
    const lines = transcript(...left, asks('q1', 'thanks'));
    expect(cleanLines(lines, { keep: 0 })).toEqual(lines);
  });
});

test('a compaction within a turn does not part what it kept from what followed it', () => {
  const lines = transcript(
    asks('q1', 'go'),
    calls('c1', thinking, text('Reading.'), call('x', { path: LONG })),
    answers('r1', 'x', LONG),
    { type: 'compaction', id: 'k', summary: 'so far', firstKeptEntryId: 'c1', tokensBefore: 10 },
    calls('c2', thinking, call('y')),
    answers('r2', 'y'),
  );
  const bytes = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const cleaned = cleanBytes(bytes, { keepTurnsWithTools: 0, truncatePercent: 0 });
  expect(findFault(cleaned.transcript, readTranscript(cleaned.planned), cleaned.plan)).toBeUndefined();
  const after = cleanLines(lines, { keep: 0 });
  expect(after.map(({ id }) => id)).toEqual(lines.map(({ id }) => id));
  expect(JSON.stringify(find(after, 'r1'))).toContain('[truncated]');
  expect(find(after, 'c2')).toEqual(find(lines, 'c2'));
});

describe('the tie of a text to thinking that goes', () => {
  const ID = 'msg_0f7f3c2f8044bea2006a2cfd8e30f481a3b33726a611ef9119';
  const OWN = 'msg_occ_b33726a611ef9119';
  const signed = (textSignature: string) =>
    transcript(
      asks('q1', 'go'),
      calls('c1', thinking, text('Reading.', { textSignature }), call('x', { path: LONG })),
      answers('r1', 'x', LONG),
      calls('a1', thinking, text('Done.', { textSignature })),
    );

  test.each([
    ['an id of OpenAI', ID, OWN],
    [
      'with the phase of the text',
      `{"v":1,"id":"${ID}","phase":"final_answer"}`,
      `{"v":1,"id":"${OWN}","phase":"final_answer"}`,
    ],
    ['a short id', 'msg_1', 'msg_occ_msg_1'],
  ])('is cut: %s', (_, before, after) => {
    const cleaned = cleanLines(signed(before), { keep: 0 });
    expect(contentOf(cleaned, 'c1')).toEqual([text('Reading.', { textSignature: after })]);
    expect(contentOf(cleaned, 'a1')).toEqual([text('Done.', { textSignature: after })]);
    expect(cleanLines(cleaned, { keep: 0 })).toEqual(cleaned);
  });

  test.each(['CpIBAXLI2nw=', '{"v":1,"id":"commentary-0","phase":"commentary"}', '{"v":1', '{"v":1,"id":7}'])(
    'is none in what others sign: %s',
    (textSignature) => {
      const cleaned = cleanLines(signed(textSignature), { keep: 0 });
      expect(contentOf(cleaned, 'a1')).toEqual([text('Done.', { textSignature })]);
    },
  );

  test('stays where the thinking does, and where there was none', () => {
    const lines = signed(ID);
    expect(cleanLines(lines, { keep: 1, truncate: 100 })[4]).toEqual(lines[4]);
    const silent = transcript(
      asks('q1', 'go'),
      calls('c1', text('Reading.', { textSignature: ID }), call('x', { path: LONG })),
      answers('r1', 'x', LONG),
      calls('a1', text('Done.')),
    );
    const cleaned = cleanLines(silent, { keep: 0 });
    expect(contentOf(cleaned, 'c1')).toEqual([text('Reading.', { textSignature: ID })]);
  });
});
