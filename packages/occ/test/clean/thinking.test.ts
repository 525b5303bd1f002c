/** What thinking of a turn takes with it, and what it does not. */
import { expect, test } from 'vitest';
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
