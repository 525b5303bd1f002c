import { activePath } from '@openbot/sessions';
import { leafOf } from '@openbot/sessions/transcript';
import { describe, expect, test } from 'vitest';
import { readTranscript } from './clean-bytes.ts';
import { cleanLines, type Line } from './clean-lines.ts';

const line = (uuid: string, parentUuid: string | null, type: string, message: Line): Line => ({
  parentUuid,
  isSidechain: false,
  type,
  message,
  uuid,
});
const say = (uuid: string, parentUuid: string | null, text = uuid) =>
  line(uuid, parentUuid, 'user', { role: 'user', content: text });
const block = (uuid: string, parentUuid: string, id: string, content: Line) =>
  line(uuid, parentUuid, 'assistant', { id, role: 'assistant', content: [content] });
const text = (uuid: string, parentUuid: string, id = uuid) =>
  block(uuid, parentUuid, id, { type: 'text', text: uuid });
const think = (uuid: string, parentUuid: string, id: string) =>
  block(uuid, parentUuid, id, { type: 'thinking', thinking: 'hm', signature: 'c2ln' });
const call = (uuid: string, parentUuid: string, id: string) =>
  block(uuid, parentUuid, id, { type: 'tool_use', id: `of ${uuid}`, name: 'Bash', input: { command: 'ls' } });
const result = (uuid: string, parentUuid: string, callUuid = parentUuid) =>
  line(uuid, parentUuid, 'user', {
    role: 'user',
    content: [{ tool_use_id: `of ${callUuid}`, type: 'tool_result', content: 'x'.repeat(300) }],
  });
const rewind = (leafUuid: string | null): Line => ({
  type: 'last-prompt',
  lastPrompt: 'x',
  leafUuid,
  explicit: true,
  rewound: true,
  sessionId: 's',
});

/** Two turns with a call each. */
const TURNS = [
  say('ask 1', null),
  ...[think('think 1', 'ask 1', 'm1'), call('call 1', 'think 1', 'm1'), result('result 1', 'call 1')],
  text('answer 1', 'result 1'),
  say('ask 2', 'answer 1'),
  ...[think('think 2', 'ask 2', 'm2'), call('call 2', 'think 2', 'm2'), result('result 2', 'call 2')],
  text('answer 2', 'result 2'),
];

const clean = (...lines: Line[]) => cleanLines([...TURNS, ...lines], { keep: 0 });
const uuidsOf = (lines: readonly Line[]) => lines.flatMap(({ uuid }) => (uuid === undefined ? [] : [uuid]));
const read = (lines: readonly Line[]) =>
  readTranscript(Buffer.from(lines.map((one) => `${JSON.stringify(one)}\n`).join('')));

function expectToStandAt(lines: readonly Line[], uuid: string | undefined): void {
  const transcript = read(lines);
  const leaf = leafOf(transcript);
  expect(leaf < 0 ? undefined : transcript.idOf(leaf)).toBe(uuid);
  expect(activePath(transcript).brokenAt).toBeUndefined();
}

describe('a session of Claude Code that was rewound', () => {
  test('is cleaned up to its leaf; what was left behind is unchanged', () => {
    const after = clean(rewind('answer 1'));
    expectToStandAt(after, 'answer 1');
    expect(uuidsOf(after)).toEqual(['ask 1', 'answer 1', ...uuidsOf(TURNS).slice(5)]);
    expect(after.slice(2)).toEqual([...TURNS.slice(5), rewind('answer 1')]);
  });

  test('counts the turns up to there alone', () => {
    const after = cleanLines([...TURNS, rewind('answer 1')], { keep: 1 });
    expect(after).toEqual([...TURNS, rewind('answer 1')]);
  });

  test.each(['call 1', 'result 1'])('keeps the exchange whole that it is in, at the %s', (leaf) => {
    const after = clean(rewind(leaf));
    expectToStandAt(after, leaf);
    expect(after).toEqual([...TURNS, rewind(leaf)]);
  });

  test('keeps the line it is at, also where that would have gone with a call', () => {
    const blank = { type: 'text', text: ' ' };
    const message = (first: Line, last: Line) => [
      ...[say('ask', null), block('first', 'ask', 'm', first), call('call', 'first', 'm')],
      ...[result('result', 'call'), block('last', 'call', 'm', last), say('ask 2', 'last')],
    ];
    const thinking = { type: 'thinking', thinking: 'hm', signature: 'c2ln' };
    for (const lines of [message(thinking, { type: 'text', text: 'done' }), message(blank, blank)]) {
      expect(uuidsOf(cleanLines(lines, { keep: 0 }))).not.toContain('first');
      const after = cleanLines([...lines, rewind('first')], { keep: 0 });
      expectToStandAt(after, 'first');
      expect(after[1]).toEqual(lines[1]);
    }
  });

  test('at one of several results keeps all of them: they have no answer', () => {
    const parallel = [
      say('ask', null),
      ...[call('c1', 'ask', 'm'), call('c2', 'c1', 'm'), result('r1', 'c1'), result('r2', 'c2')],
      ...[text('answer', 'r2'), rewind('r1')],
    ];
    const after = cleanLines(parallel, { keep: 0 });
    expectToStandAt(after, 'r1');
    expect(after).toEqual(parallel);
  });

  test('to the very beginning has nothing to clean', () => {
    const after = clean(rewind(null));
    expectToStandAt(after, undefined);
    expect(after).toEqual([...TURNS, rewind(null)]);
  });

  test('and went on is cleaned on its new branch, and the note follows', () => {
    const after = clean(rewind('result 1'), say('ask 3', 'result 1'), text('answer 3', 'ask 3'));
    expectToStandAt(after, 'answer 3');
    const branch = after.filter(({ uuid }) => ['ask 3', 'answer 3'].includes(uuid as string));
    expect(branch.map(({ parentUuid }) => parentUuid)).toEqual(['ask 1', 'ask 3']);
    expect(after.find(({ type }) => type === 'last-prompt')).toMatchObject({
      leafUuid: 'ask 1',
      explicit: true,
    });
  });

  test('never loses its place because all before it was removed', () => {
    const lines = [
      { ...call('call', '', 'm'), parentUuid: null },
      result('result', 'call'),
      rewind('result'),
    ];
    const after = cleanLines([...lines, say('ask', 'result'), text('answer', 'ask')], { keep: 0 });
    expectToStandAt(after, 'answer');
    expect(after.find(({ type }) => type === 'last-prompt')).toMatchObject({ leafUuid: 'result' });
  });
});
