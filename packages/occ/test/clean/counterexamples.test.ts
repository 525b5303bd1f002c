/** Small transcripts that the hunts of this folder once failed with. */
import { expect, test } from 'vitest';
import { findFault } from '../../src/rewrite/verify-clean.ts';
import { cleanBytes, readTranscript } from './clean-bytes.ts';
import { cleanLines, type Line } from './clean-lines.ts';
import { answers, asks, call, calls, find, ids, says, transcript } from './openclaw-entries.ts';

const bytesOf = (lines: readonly Line[]) =>
  Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));

function faultOf(lines: readonly Line[], keepTurnsWithTools: number): string | undefined {
  const cleaned = cleanBytes(bytesOf(lines), { keepTurnsWithTools, truncatePercent: 0 });
  return findFault(cleaned.transcript, readTranscript(cleaned.planned), cleaned.plan);
}

test('a call without a result that another branch needs is no fault where its id came twice', () => {
  const lines = transcript(
    asks('q1', 'go'),
    calls('c1', call('x')),
    answers('elsewhere', 'x'),
    { ...calls('c2', call('x')), parentId: 'c1' },
    says('a1', 'done'),
  );
  const cleaned = cleanLines(lines, { keep: 0 });
  expect(ids(cleaned)).toEqual(['q1', 'c1', 'elsewhere', 'a1']);
  expect(find(cleaned, 'elsewhere')).toEqual(find(lines, 'elsewhere'));
  expect(faultOf(lines, 0)).toBeUndefined();
});
