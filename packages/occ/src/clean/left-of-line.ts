import type { Transcript } from '@openbot/sessions';
import { FLAG } from '@openbot/sessions/transcript';
import { isNothingLeft } from './empty-message.ts';
import type { LineEdit } from './line-edit.ts';
import type { LineReader } from './plan.ts';
import { rewriteLine } from './rewrite-line.ts';

/** Takes calls, results and thinking out of a line. */
export const STRIPPED: LineEdit = { calls: 'remove', results: 'remove', dropThinking: true };

/** A text no longer than this may be blanks only; agents put them before calls. */
export const LONGEST_BLANK = 32;

/** Whether a message's line would say nothing without its calls, its results and its thinking. */
export function isLeftWithNothing(transcript: Transcript, index: number, readLine: LineReader): boolean {
  // A result of OpenClaw's or pi's is the whole message.
  if (transcript.dialect !== 'claude-code' && transcript.roleOf(index) === 'toolResult') return true;
  const text = transcript.textSizeOf(index);
  if (text > LONGEST_BLANK) return false;
  const hasImages = transcript.resultCountOf(index) === 0 && transcript.imageCountOf(index) > 0;
  if (text === 0 && !hasImages && !transcript.has(index, FLAG.otherContent)) return true;
  const dialect = transcript.dialect ?? 'openclaw';
  return isNothingLeft(rewriteLine(readLine(index), STRIPPED, dialect));
}
