import { backupPathsOf } from '../backups/backup-paths.ts';
import { explainNoBackup } from '../backups/choose-backup.ts';
import { type OriginalNote, readJournal } from '../backups/journal.ts';
import { findOriginal, type Original } from '../backups/original.ts';
import { resolveSession } from '../finding/resolve-session.ts';
import { indexEntryOf } from '../rewrite/index-entry.ts';
import { ownRunOf, settleUse } from '../schedule/settle-use.ts';
import { storageOf } from '../storage/all.ts';
import type { FoundSession, ResolvedSession, SearchScope } from '../storage/contract/found-session.ts';
import { type FileRestoreResult, restoreSessionFile } from '../storage/files/restore-file.ts';
import { restoreDatabaseSession } from '../storage/openclaw-sqlite/restore-session.ts';
import { describeRotation } from './describe-rotation.ts';
import { describeFailedWrite, noteAfterRewrite } from './failed-write.ts';
import { foundFieldsOf } from './found-fields.ts';
import { lookAtRun } from './look-at-run.ts';
import type { BackupInfo, RestoreOutcome } from './results.ts';

export interface RestoreOptions {
  readonly scope: SearchScope;
  readonly sessionId?: string;
  /** The number of a backup; the newest when left out. */
  readonly backup?: number;
  /** The first state that is kept, in the place of a backup. */
  readonly original?: boolean;
  /** Keeps the first state when its backup is rotated out. True. */
  readonly keepOriginal?: boolean;
  readonly force?: boolean;
  readonly waitMs?: number;
}

/** Puts back the state before an edit; what was said since follows it. Makes a backup first, so that it can be undone. */
export async function executeRestore(options: RestoreOptions): Promise<RestoreOutcome> {
  const { scope } = options;
  const { session, foundBy } = await resolveSession(scope, options.sessionId);
  if (session.storage === 'sqlite') return restoreInDatabase(options, { session, foundBy });
  const settled = await settleUse({
    path: session.path,
    sessionId: session.sessionId,
    source: session.source,
    ownRun: ownRunOf(session, foundBy, scope.env),
    flags: { force: options.force, waitMs: options.waitMs, canSchedule: false },
  });
  try {
    const done = await restoreSessionFile({
      path: session.path,
      sessionId: session.sessionId,
      backup: options.backup,
      original: options.original,
      keepsOriginal: options.keepOriginal,
      entry: indexEntryOf(session),
      lock: { timeoutMs: LOCK_WAIT_MS },
      force: options.force,
      now: () => new Date(),
    });
    return describeRestore({ session, foundBy }, done, noteAfterRewrite(done.fault, settled.note));
  } catch (error) {
    throw describeFailedWrite(error, session, 'restore');
  }
}

const LOCK_WAIT_MS = 5000;

async function restoreInDatabase(options: RestoreOptions, found: ResolvedSession): Promise<RestoreOutcome> {
  const { session, foundBy } = found;
  const { backup, original, keepOriginal: keepsOriginal, force, waitMs, scope } = options;
  try {
    const ownRun = ownRunOf(session, foundBy, scope.env);
    const { isInRun } = await lookAtRun(session, ownRun);
    const now = () => new Date();
    const done = await restoreDatabaseSession({
      session,
      backup,
      original,
      keepsOriginal,
      force,
      waitMs,
      isInRun,
      now,
    });
    const who = ownRun === 'no' ? 'A run of this session is in progress: it' : OWN_RUN;
    return describeRestore(found, done, isInRun || ownRun !== 'no' ? `${who} ${GOES_ON}` : undefined);
  } catch (error) {
    throw describeFailedWrite(error, session, 'restore');
  }
}

const OWN_RUN = 'This is the session that called occ: its run';
const GOES_ON = 'goes on with what it has in memory, and the next turn sees the restored session.';

function describeRestore(
  { session, foundBy }: ResolvedSession,
  done: FileRestoreResult,
  note: string | undefined,
): RestoreOutcome {
  const { restoredFrom, backupPath, linesKept, sizeBefore, sizeAfter, context } = done;
  const notes = [describePath(done), note].filter((text) => text !== undefined);
  const result = {
    success: true,
    mode: 'restore',
    sessionId: session.sessionId,
    ...foundFieldsOf({ session, foundBy }),
    restoredFrom,
    backupPath,
    linesKept,
    sizeBefore,
    sizeAfter,
    ...describeRotation(done.rotation),
    context,
    ...(notes.length === 0 ? {} : { note: notes.join(' ') }),
  } as const;
  return { result, session, foundBy };
}

/** What became of a session that was taken on from an earlier entry since the backup was made. */
function describePath({ relinked, unheard }: FileRestoreResult): string | undefined {
  if (unheard !== undefined)
    return `The model is not given all that came back, since the session was taken on from an earlier entry: ${unheard}.`;
  return relinked
    ? 'Since the backup was made the session had been taken on from an earlier entry; it goes on behind the restored lines now.'
    : undefined;
}

/** The backups of a session, newest first. */
export async function listBackups(session: FoundSession): Promise<BackupInfo[]> {
  const storage = storageOf(session);
  const path = storage.transcriptPathOf(session);
  const { rewrites, original: noted } = readJournal(path);
  const kindOf = new Map(rewrites.map(({ backup, kind }) => [backup, kind]));
  const original = findOriginal(backupPathsOf(path));
  const first: BackupInfo[] = original === undefined ? [] : [describeOriginal(original, noted)];
  const backups = (await storage.rewriting())
    .listBackups(session)
    .map(({ number, path: backupPath, sizeBytes, createdAt }) => ({
      number,
      path: backupPath,
      sizeBytes,
      createdAt: Math.floor(createdAt),
      madeBefore: kindOf.get(number) ?? ('unknown' as const),
    }))
    .reverse();
  return [...backups, ...first];
}

function describeOriginal({ path, createdAt, packedBytes }: Original, noted?: OriginalNote): BackupInfo {
  const at = noted?.record === undefined ? Number.NaN : Date.parse(noted.record.at);
  return {
    number: 0,
    original: true,
    path,
    sizeBytes: noted?.sizeBytes ?? packedBytes,
    createdAt: Math.floor(Number.isNaN(at) ? createdAt : at),
    madeBefore: noted?.record?.kind ?? 'unknown',
  };
}

/** Why there are none of a session that has none. */
export function explainNoBackups(session: FoundSession): string {
  return explainNoBackup(storageOf(session).transcriptPathOf(session));
}
