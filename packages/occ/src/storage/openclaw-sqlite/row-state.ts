import {
  inTransaction,
  type OpenclawDatabase,
  type Projection,
  readEntriesOfSession,
  readTranscriptVersion,
} from '@openbot/sessions/openclaw-database';
import { backupPathOf, backupPathsOf } from '../../backups/backup-paths.ts';
import { readJournal } from '../../backups/journal.ts';
import { nextBackupNumber } from '../../backups/make-backup.ts';
import type { CleanPlan } from '../../clean/plan.ts';
import { readCounters } from '../../rewrite/counters.ts';
import { RewrittenLines } from '../../rewrite/rewritten-lines.ts';
import type { FoundSession } from '../contract/found-session.ts';
import type { NextState, SessionState } from '../contract/rewriting.ts';
import { type ReadSession, readSessionToRewrite, unknownStructure } from './readable-session.ts';
import type { RowChanges } from './replace-rows.ts';
import { type OpenRows, replaceRows } from './replace-rows.ts';
import { findRestoredRows } from './restore-rows.ts';
import type { KeptStates } from './restored-lines.ts';
import { StagedFile } from './staged-file.ts';
import { transcriptPathOf } from './transcript-path.ts';

export function openRowState(
  database: OpenclawDatabase,
  found: FoundSession,
  keptStates: KeptStates,
): SessionState {
  const transcriptPath = transcriptPathOf(found);
  const paths = backupPathsOf(transcriptPath);
  const number = nextBackupNumber(paths, readJournal(transcriptPath));
  // The lines go to the backup as they are read; where nothing is changed it never gets its name.
  const backup = new StagedFile(backupPathOf(paths, number));
  const { sessionId } = found;
  try {
    const rows = inTransaction(database, 'deferred', () => {
      const session = readSessionToRewrite(database, sessionId, backup);
      const version = readTranscriptVersion(database, sessionId);
      // Of one entry: those of a second key that leads to the session are the same.
      const [entry] = readEntriesOfSession(database, sessionId);
      const counters = entry && readCounters(entry);
      return { database, sessionId, transcriptPath, paths, number, backup, session, version, counters };
    });
    return {
      transcript: rows.session.transcript,
      readLine: rows.session.readLine,
      clean: (plan) => cleanRows(rows, plan),
      findRestored: (kept, backups) => findRestoredRows(rows, kept, backups, keptStates),
      // It is changed in the transaction that changes the rows.
      catchUpEntry: async () => {},
      faultHint: FAULT_HINT,
      close: async () => backup.drop(),
    };
  } catch (error) {
    backup.drop();
    throw error;
  }
}

const FAULT_HINT = 'The structure of this session is unknown.';

function cleanRows(rows: OpenRows, plan: CleanPlan): NextState {
  const { session } = rows;
  const lines = new RewrittenLines(session, plan);
  return {
    replace: (steps) =>
      replaceRows(
        rows,
        {
          changes: () => listChanges(session, plan, lines),
          sizeAfter: lines.measure(),
          verify: (after, projection) => {
            steps.verify(after.transcript);
            const fault = findLostEntry(session, projection, plan);
            if (fault !== undefined) throw unknownStructure(rows.sessionId, 'changed', fault);
          },
        },
        steps,
      ),
  };
}

function listChanges({ transcript, seqs }: ReadSession, plan: CleanPlan, lines: RewrittenLines): RowChanges {
  const removed = seqs.filter((_, index) => plan.isRemoved(index));
  return { removed, replaced: listReplaced() };

  function* listReplaced(): Generator<readonly [number, Buffer, string | null]> {
    for (const [index, { fields }, line] of lines.changed()) {
      const json = fields?.get('parentId');
      // Null where the line has no parent any more.
      const parent =
        typeof json === 'string'
          ? (JSON.parse(json) as string | null)
          : (transcript.parentIdOf(index) ?? null);
      yield [seqs[index]!, Buffer.from(line, 'latin1'), parent];
    }
  }
}

/** The conversation must be the one that it was, without what was to go. */
function findLostEntry(
  { transcript, seqs, projection }: ReadSession,
  after: Projection,
  plan: CleanPlan,
): string | undefined {
  const gone = new Set<number>();
  for (let i = 0; i < transcript.length; i++) if (plan.isRemoved(i)) gone.add(seqs[i]!);
  const expected = projection.rows.filter(({ seq }) => !gone.has(seq));
  const isSame =
    expected.length === after.rows.length && expected.every(({ seq }, at) => after.rows[at]!.seq === seq);
  if (!isSame) return 'the conversation would take another path';
  return projection.leafEventId === after.leafEventId ? undefined : 'it would go on from another entry';
}
