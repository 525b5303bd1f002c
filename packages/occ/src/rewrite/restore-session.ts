import type { Transcript } from '@openbot/sessions';
import { backupPathsOf } from '../backups/backup-paths.ts';
import { listBackupFiles } from '../backups/backups.ts';
import { chooseBackup } from '../backups/choose-backup.ts';
import { readJournal } from '../backups/journal.ts';
import { withOriginal } from '../backups/original-state.ts';
import type { Rotation } from '../backups/rotate-backups.ts';
import type { FoundSession } from '../storage/contract/found-session.ts';
import type { Backup, KeptState, RewriteRecord } from '../storage/contract/kept-state.ts';
import type { HeldSession, HoldOptions, SessionState } from '../storage/contract/rewriting.ts';
import type { SessionStorage } from '../storage/contract/storage.ts';
import { putBackCounters } from './counters.ts';
import { expectPath, withoutLines } from './expected-path.ts';
import { holdSession } from './hold-session.ts';
import { describeContext, findMissedContext, type RestoredContext } from './restored-context.ts';
import { findUnbound, mayUnbind } from './restored-thinking.ts';
import { type PlannedRewrite, rewriteSession } from './rewrite-session.ts';
import { assertSameLeaf, assertSameLinks, incompleteContext } from './verify-restored.ts';

interface SessionRestore extends HoldOptions {
  /** The number of a backup; the newest when left out. */
  readonly backup?: number;
  /** The first state in the place of a backup. */
  readonly original?: boolean;
  readonly keepsOriginal?: boolean;
  /** Also restores what the model would not be given as a whole. */
  readonly force?: boolean;
  /** A run is in progress, which counts anew at its end: the entry is left to it. */
  readonly isInRun?: boolean;
  /** Called with the session held: a run may have begun while it was waited for. Throwing leaves everything as it is. */
  readonly assertIdle?: (transcript: Transcript) => void;
  readonly now: () => Date;
}

export interface RestoredSession {
  readonly restoredFrom: string;
  readonly backupPath: string;
  readonly linesKept: number;
  readonly sizeBefore: number;
  readonly sizeAfter: number;
  readonly rotation?: Rotation;
  readonly context: RestoredContext;
  /** How many blocks of thinking went from what was said since. */
  readonly thinkingUnbound: number;
  /** What was said since had gone on from an earlier entry, and goes on from the restored ones. */
  readonly isRelinked: boolean;
  /** Why the model is not given all of it, where that was forced. */
  readonly missed?: string;
  /** What went wrong after the session had been restored. */
  readonly fault?: Error;
}

/** Puts a kept state back and lets what was said since follow it. The state before becomes a backup itself. */
export async function restoreSession(
  storage: SessionStorage,
  session: FoundSession,
  restore: SessionRestore,
): Promise<RestoredSession> {
  const path = storage.transcriptPathOf(session);
  return holdSession(storage, session, restore, (held) =>
    withKeptState(held, path, session, restore, (kept, backups) =>
      rewriteSession<RestoredSession>(held, {
        kind: 'restore',
        path,
        now: restore.now,
        keepsOriginal: restore.keepsOriginal,
        sparedBackup: restore.original ? undefined : kept.number,
        plan: (state) => planRestore(state, kept, backups, { held, session, restore }),
      }),
    ),
  );
}

/** Runs `use` with the chosen state and the backups that hold what was said since. */
async function withKeptState<T>(
  held: HeldSession,
  path: string,
  { sessionId }: FoundSession,
  { backup, original }: SessionRestore,
  use: (kept: KeptState, backups: readonly Backup[]) => Promise<T>,
): Promise<T> {
  const { rewrites } = readJournal(path);
  const recordOf = (number: number) => rewrites.findLast((record) => record.backup === number);
  const { refuseOthers } = held;
  const isRefused = (record: RewriteRecord | undefined) =>
    refuseOthers !== undefined && record !== undefined && !held.isOwn(record);
  const backups = listBackupFiles(backupPathsOf(path), path).filter(
    ({ number }) => !isRefused(recordOf(number)),
  );
  if (original) {
    return withOriginal(path, sessionId, (kept) => {
      if (isRefused(kept.record)) throw refuseOthers!(`The original of session '${sessionId}'`);
      return use(kept, backups);
    });
  }
  if (backup !== undefined && isRefused(recordOf(backup)))
    throw refuseOthers!(`Backup ${backup} of session '${sessionId}'`);
  const chosen = chooseBackup({ sessionId, backup, path }, backups);
  return use({ ...chosen, record: recordOf(chosen.number) }, backups);
}

interface Restoring {
  readonly held: HeldSession;
  readonly session: FoundSession;
  readonly restore: SessionRestore;
}

type Seen = Pick<RestoredSession, 'context' | 'missed' | 'linesKept' | 'sizeAfter' | 'thinkingUnbound'>;

async function planRestore(
  state: SessionState,
  kept: KeptState,
  backups: readonly Backup[],
  { held, session, restore }: Restoring,
): Promise<PlannedRewrite<RestoredSession>> {
  const now = state.transcript;
  restore.assertIdle?.(now);
  const restoredFrom = kept.packedPath ?? kept.path;
  const found = await state.findRestored(kept, backups);
  const then = found.earlier.transcript;
  const expected = found.hasNewLines ? expectPath(found.earlier, state) : undefined;
  const joined = await found.join(expected?.relink);
  const unbound = found.hasNewLines && mayUnbind(state) ? await findUnbound(joined, state) : undefined;
  const next = unbound?.next ?? joined;
  let seen: Seen | undefined;
  const { record } = kept;
  // Counters of another storage were counted for what it held.
  const counted = restore.isInRun || record === undefined || !held.isOwn(record) ? undefined : record;
  const counters = counted?.corrected?.counters ?? counted?.counters;
  return {
    next,
    accept: () => {},
    verify: (after) => {
      assertSameLeaf(after, now, session.path);
      assertSameLinks(after, next.originsOf(after));
      unbound?.assertGone(after);
      const missed =
        expected && findMissedContext(after, then, now, withoutLines(expected, unbound?.removedIds));
      if (missed !== undefined && !restore.force) throw incompleteContext(missed, restoredFrom);
      seen = {
        linesKept: next.countNewLines(after),
        sizeAfter: after.byteLength,
        context: describeContext(after, then, missed),
        thinkingUnbound: unbound?.blocks ?? 0,
        missed,
      };
    },
    changeEntry: counters === undefined ? undefined : (entry) => putBackCounters(entry, counters),
    describe: (done) => ({
      restoredFrom,
      sizeBefore: now.byteLength,
      isRelinked: next.isRelinked,
      ...seen!,
      ...done,
    }),
  };
}
