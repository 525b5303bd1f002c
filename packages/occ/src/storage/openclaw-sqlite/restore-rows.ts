import type { DatabaseTranscript, Projection } from '@openbot/sessions/openclaw-database';
import { FLAG, TranscriptBuilder } from '@openbot/sessions/transcript';
import { readJournal } from '../../backups/journal.ts';
import { isNothingLeft } from '../../clean/empty-message.ts';
import type { LineEdit } from '../../clean/line-edit.ts';
import { rewriteLine } from '../../clean/rewrite-line.ts';
import { RestoreError } from '../../errors.ts';
import type { Backup, KeptState, RewriteRecord } from '../contract/kept-state.ts';
import type {
  JoinedState,
  OriginOf,
  Relink,
  RestorableState,
  RestoredState,
  SessionLines,
} from '../contract/rewriting.ts';
import type { ReadSession } from './readable-session.ts';
import { isRowRecord, type OpenRows, replaceRows } from './replace-rows.ts';
import {
  damaged,
  type KeptStates,
  listRestoredLines,
  type OpenKeptState,
  type RestoredLine,
  readKeptLine,
} from './restored-lines.ts';
import { isChanged, keepOwnHeader, listRestoringChanges, readRestoredText } from './row-changes.ts';

/**
 * The rows of a kept state, with their usage, and what was said since. Lines are known by their identity: rows have no place
 * in a file that the length of an earlier state could tell.
 * @param keptStates of the rewrite that this is an attempt of
 */
export async function findRestoredRows(
  rows: OpenRows,
  kept: KeptState,
  backups: readonly Backup[],
  keptStates: KeptStates,
): Promise<RestorableState> {
  const { session, sessionId, transcriptPath } = rows;
  const { rewrites } = readJournal(transcriptPath);
  assertUndamaged(kept, backups, rewrites);
  const states = await keptStates.open(kept, kept.packedPath === undefined ? backups : [kept, ...backups]);
  const path = kept.packedPath ?? kept.path;
  const then = states[0]!;
  if (then.transcript.header?.id !== session.transcript.header?.id) {
    throw new RestoreError(`The backup ${path} belongs to another session`, {
      hint: 'Nothing was changed. --list shows the other backups.',
    });
  }
  const records = rewrites.filter(({ backup }) => backup >= kept.number);
  const restored = recallUsage(listRestoredLines(states, session), states, session, records);
  const lines = keepOwnHeader(restored, session);
  assertRelated(lines, session, sessionId, path);
  assertNothingDropped(session, lines, path);
  return {
    earlier: {
      transcript: then.transcript,
      readLine: (index) => readKeptLine(then, index).toString('latin1'),
    },
    hasNewLines: lines.some((line) => isNew(line, session)),
    join: async (relink) => joinLines(rows, relinkLine(lines, relink, states, session), states),
  };
}

function assertUndamaged(
  kept: KeptState,
  backups: readonly Backup[],
  rewrites: readonly RewriteRecord[],
): void {
  for (const { number, path, sizeBytes } of backups) {
    const made = number < kept.number ? undefined : rewrites.findLast(({ backup }) => backup === number);
    if (made !== undefined && hasOtherSize(made, sizeBytes))
      throw damaged(path, `it has ${sizeBytes} bytes instead of ${made.backupBytes}`, number !== kept.number);
  }
}

/** A file that became a backup may have been written to by a process that had it open. */
function hasOtherSize(record: RewriteRecord, sizeBytes: number): boolean {
  return isRowRecord(record) ? sizeBytes !== record.backupBytes : sizeBytes < record.backupBytes;
}

function assertRelated(
  lines: readonly RestoredLine[],
  { transcript }: ReadSession,
  sessionId: string,
  path: string,
): void {
  const isRelated = lines.some(
    ({ row, kept }) => row !== undefined && kept !== undefined && transcript.kindOf(row) !== 'header',
  );
  if (isRelated) return;
  throw new RestoreError(`Session '${sessionId}' has no line in common with the backup ${path}`, {
    hint: 'Nothing was changed, since it is not known what was said in between. The backup is a complete session: occ clone with its path makes a new session from it.',
  });
}

/** No backup has it, or only a later one. */
function isNew({ row, kept }: RestoredLine, { transcript }: ReadSession): boolean {
  return kept === undefined ? transcript.kindOf(row!) !== 'header' : kept.state > 0;
}

function relinkLine(
  lines: readonly RestoredLine[],
  relink: Relink | undefined,
  states: readonly OpenKeptState[],
  session: ReadSession,
): readonly RestoredLine[] {
  if (relink === undefined) return lines;
  return lines.map((line) => {
    const { transcript, index } = originOf(line, states, session);
    const isMeant = transcript.idOf(index) === relink.id && !relink.isDone(transcript, index);
    return isMeant ? { ...line, parentId: relink.parentId } : line;
  });
}

function joinLines(
  rows: OpenRows,
  lines: readonly RestoredLine[],
  states: readonly OpenKeptState[],
): JoinedState {
  const { session } = rows;
  return {
    ...makeRestored(rows, lines, states),
    readJoined: async () => ({
      ...readLines(lines, states, session),
      isNew: (index) => isNew(lines[index]!, session),
    }),
    change: (_, plan) => {
      const changed = lines.flatMap((line, index) => {
        const edit = plan.isRemoved(index) ? undefined : plan.editOf(index);
        return plan.isRemoved(index) ? [] : [edit === undefined ? line : { ...line, edit }];
      });
      return makeRestored(rows, changed, states);
    },
  };
}

/** The lines as a file that they would make. */
function readLines(
  lines: readonly RestoredLine[],
  states: readonly OpenKeptState[],
  session: ReadSession,
): SessionLines {
  const builder = new TranscriptBuilder('openclaw');
  let offset = 0;
  for (const line of lines) {
    const text = readRestoredText(line, states, session);
    builder.line(text, 0, text.length, offset, true);
    offset += text.length + 1;
  }
  return {
    transcript: builder.finish(offset, 'openclaw'),
    readLine: (index) => readRestoredText(lines[index]!, states, session).toString('latin1'),
  };
}

function makeRestored(
  rows: OpenRows,
  lines: readonly RestoredLine[],
  states: readonly OpenKeptState[],
): RestoredState {
  const { session } = rows;
  const origins: OriginOf = (index) => lines[index] && originOf(lines[index], states, session);
  return {
    isRelinked: lines.some(({ parentId }) => parentId !== undefined),
    countNewLines: () => lines.filter((line) => isNew(line, session)).length,
    originsOf: () => origins,
    replace: (steps) =>
      replaceRows(
        rows,
        {
          changes: () => listRestoringChanges(lines, states, session),
          sizeAfter: measure(lines, states, session),
          verify: (after, projection) => {
            steps.verify(after.transcript);
            assertAllThere(after, projection, session, lines);
          },
        },
        steps,
      ),
  };
}

function measure(
  lines: readonly RestoredLine[],
  states: readonly OpenKeptState[],
  session: ReadSession,
): number {
  return lines.reduce((size, line) => {
    if (isChanged(line)) return size + readRestoredText(line, states, session).length + 1;
    const { transcript, index } = originOf(line, states, session);
    return size + transcript.endOf(index) - transcript.startOf(index) + 1;
  }, 0);
}

function originOf({ row, kept }: RestoredLine, states: readonly OpenKeptState[], session: ReadSession) {
  if (kept === undefined) return { transcript: session.transcript, index: row! };
  return { transcript: states[kept.state]!.transcript, index: kept.index };
}

/**
 * Gives answers that were recorded since the chosen backup was made their own usage again, where it was lowered after the
 * run. The lines of the chosen backup stay as it has them.
 * @param records of the chosen backup and those after it, oldest first
 */
function recallUsage(
  lines: readonly RestoredLine[],
  states: readonly OpenKeptState[],
  session: ReadSession,
  records: readonly RewriteRecord[],
): RestoredLine[] {
  // Of a line that was lowered twice, the first record has what its provider said.
  const usages = new Map(
    records.toReversed().flatMap(({ corrected }) => Object.entries(corrected?.usage ?? {})),
  );
  if (usages.size === 0) return [...lines];
  return lines.map((line) => {
    const { row, kept } = line;
    if (kept?.state === 0) return line;
    const { transcript } = kept === undefined ? session : states[kept.state]!;
    const index = kept === undefined ? row! : kept.index;
    const usage = usages.get(transcript.idOf(index) ?? '');
    return usage !== undefined && transcript.has(index, FLAG.estimatedUsage) ? { ...line, usage } : line;
  });
}

/** The session must be as planned, go on from where it is, and hold together. */
function assertAllThere(
  after: DatabaseTranscript,
  projection: Projection,
  session: ReadSession,
  lines: readonly RestoredLine[],
): void {
  const { transcript } = after;
  const isWhole = transcript.length === lines.length && transcript.problems.length === 0;
  const isSameEnd = projection.leafEventId === session.projection.leafEventId;
  if (isWhole && isSameEnd) return;
  throw new RestoreError('The restored session did not pass verification', {
    hint: 'Nothing was changed. Another program rewrote the session since the backup was made.',
  });
}

/**
 * A line of the session that is not to be there again must be one that a clean takes away: a result, or a message
 * that says nothing but its calls and thinking. Anything else was written by another program, and no backup has it.
 */
function assertNothingDropped(session: ReadSession, lines: readonly RestoredLine[], path: string): void {
  const { transcript } = session;
  const staying = new Set(lines.map(({ row }) => row));
  for (let row = 0; row < transcript.length; row++) {
    if (staying.has(row) || isCleanable(session, row)) continue;
    throw new RestoreError(`Line ${row + 1} of the session is in no backup, and would be lost`, {
      hint: `Nothing was changed. Another program rewrote the session since ${path} was made; occ clone -o keeps it as it is.`,
    });
  }
}

function isCleanable({ transcript, readLine }: ReadSession, row: number): boolean {
  if (transcript.kindOf(row) !== 'message') return false;
  if (transcript.roleOf(row) === 'toolResult') return true;
  return isNothingLeft(rewriteLine(readLine(row), STRIPPED, 'openclaw'));
}

const STRIPPED: LineEdit = { calls: 'remove', results: 'remove', dropThinking: true };
