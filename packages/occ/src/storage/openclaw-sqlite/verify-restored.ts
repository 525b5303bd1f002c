import { OpenBotError } from '@openbot/sessions';
import type { DatabaseTranscript, Projection } from '@openbot/sessions/openclaw-database';
import { isNothingLeft } from '../../clean/empty-message.ts';
import type { LineEdit } from '../../clean/line-edit.ts';
import { rewriteLine } from '../../clean/rewrite-line.ts';
import type { ReadSession } from './readable-session.ts';
import type { RestoredLine } from './restored-lines.ts';

/** The session must be as planned, go on from where it is, and hold together. */
export function assertAllThere(
  after: DatabaseTranscript,
  projection: Projection,
  session: ReadSession,
  lines: readonly RestoredLine[],
): void {
  const { transcript } = after;
  const isWhole = transcript.length === lines.length && transcript.problems.length === 0;
  const isSameEnd = projection.leafEventId === session.projection.leafEventId;
  if (isWhole && isSameEnd) return;
  throw new OpenBotError('RESTORE_FAILED', 'The restored session did not read back as planned', {
    hint: 'Nothing was changed. Another program rewrote the session since the backup was made.',
  });
}

/**
 * A line of the session that is not to be there again must be one that a clean takes away: a result, or a message
 * that says nothing but its calls and thinking. Anything else was written by somebody, and no backup has it.
 */
export function assertNothingDropped(
  session: ReadSession,
  lines: readonly RestoredLine[],
  path: string,
): void {
  const { transcript } = session;
  const staying = new Set(lines.map(({ row }) => row));
  for (let row = 0; row < transcript.length; row++) {
    if (staying.has(row) || isCleanable(session, row)) continue;
    throw new OpenBotError(
      'RESTORE_FAILED',
      `Line ${row + 1} of the session is in no backup, and would be lost`,
      {
        hint: `Nothing was changed. Another program rewrote the session since ${path} was made; occ clone -o keeps it as it is.`,
      },
    );
  }
}

function isCleanable({ transcript, readLine }: ReadSession, row: number): boolean {
  if (transcript.kindOf(row) !== 'message') return false;
  if (transcript.roleOf(row) === 'toolResult') return true;
  return isNothingLeft(rewriteLine(readLine(row), STRIPPED, 'openclaw'));
}

const STRIPPED: LineEdit = { calls: 'remove', results: 'remove', dropThinking: true };
