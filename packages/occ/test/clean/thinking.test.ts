/** What thinking of a turn takes with it, and what it does not. */
import { describe, expect, test } from 'vitest';
import { findFault } from '../../src/session-file/verify-clean.ts';
import { cleanBytes, readTranscript } from './clean-bytes.ts';
import { cleanLines, type Line } from './clean-lines.ts';

const LONG = 'a long output\n'.repeat(30);
const thinking = { type: 'thinking', thinking: 'Well.', thinkingSignature: 'c2ln' };
const text = (words: string, fields: Line = {}): Line => ({ type: 'text', text: words, ...fields });
const call = (id: string): Line => ({ type: 'toolCall', id, name: 'read', arguments: { path: LONG } });
const message = (id: string, role: string, content: unknown, fields: Line = {}): Line => ({
  type: 'message',
  id,
  message: { role, content, ...fields },
});
const result = (id: string, toolCallId: string) =>
  message(id, 'toolResult', [text(LONG)], { toolCallId, toolName: 'read' });

/** Each line hangs from the one before it. */
function transcript(...entries: Line[]): Line[] {
  const header = { type: 'session', version: 3, id: 's', timestamp: 'T', cwd: '/w' };
  return [header, ...entries.map((line, index) => ({ parentId: entries[index - 1]?.id ?? null, ...line }))];
}
const find = (lines: readonly Line[], id: string) =>
  lines.find((line) => line.id === id)?.message as Line | undefined;

test('a compaction within a turn does not part what it kept from what followed it', () => {
  const lines = transcript(
    message('q1', 'user', 'go'),
    message('c1', 'assistant', [thinking, text('Reading.'), call('x')]),
    result('r1', 'x'),
    { type: 'compaction', id: 'k', summary: 'so far', firstKeptEntryId: 'c1', tokensBefore: 10 },
    message('c2', 'assistant', [thinking, call('y')]),
    result('r2', 'y'),
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
      message('q1', 'user', 'go'),
      message('c1', 'assistant', [thinking, text('Reading.', { textSignature }), call('x')]),
      result('r1', 'x'),
      message('a1', 'assistant', [thinking, text('Done.', { textSignature })]),
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
    expect(find(cleaned, 'c1')?.content).toEqual([text('Reading.', { textSignature: after })]);
    expect(find(cleaned, 'a1')?.content).toEqual([text('Done.', { textSignature: after })]);
    expect(cleanLines(cleaned, { keep: 0 })).toEqual(cleaned);
  });

  test.each(['CpIBAXLI2nw=', '{"v":1,"id":"commentary-0","phase":"commentary"}', '{"v":1', '{"v":1,"id":7}'])(
    'is none in what others sign: %s',
    (textSignature) => {
      const cleaned = cleanLines(signed(textSignature), { keep: 0 });
      expect(find(cleaned, 'a1')?.content).toEqual([text('Done.', { textSignature })]);
    },
  );

  test('stays where the thinking does, and where there was none', () => {
    const lines = signed(ID);
    expect(cleanLines(lines, { keep: 1, truncate: 100 })[4]).toEqual(lines[4]);
    const silent = transcript(
      message('q1', 'user', 'go'),
      message('c1', 'assistant', [text('Reading.', { textSignature: ID }), call('x')]),
      result('r1', 'x'),
      message('a1', 'assistant', [text('Done.')]),
    );
    const cleaned = cleanLines(silent, { keep: 0 });
    expect(find(cleaned, 'c1')?.content).toEqual([text('Reading.', { textSignature: ID })]);
  });
});
