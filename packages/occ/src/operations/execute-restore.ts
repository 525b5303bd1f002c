import { backupPathsOf } from '../backups/backup-paths.ts';
import { explainNoBackup } from '../backups/choose-backup.ts';
import { type OriginalNote, readJournal } from '../backups/journal.ts';
import { findOriginal, type Original } from '../backups/original.ts';
import { resolveSession } from '../finding/resolve-session.ts';
import { type RestoredSession, restoreSession } from '../rewrite/restore-session.ts';
import { storageOf } from '../storage/all.ts';
import type { FoundSession, ResolvedSession, SearchScope } from '../storage/contract/found-session.ts';
import type { AllowedRewrite } from '../storage/contract/use.ts';
import { describeRotation } from './describe-rotation.ts';
import { describeFailedWrite, noteAfterRewrite } from './failed-write.ts';
import { foundFieldsOf } from './found-fields.ts';
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

/** Puts back the state before an edit; later lines follow it. Makes a backup first, so that it can be undone. */
export async function executeRestore(options: RestoreOptions): Promise<RestoreOutcome> {
  const { scope, force, waitMs } = options;
  const found = await resolveSession(scope, options.sessionId);
  const { session, foundBy } = found;
  const { env } = scope;
  try {
    const use = await storageOf(session).use();
    const ownRun = use.ownRun(session, { foundBy, env });
    const flags = { force, waitMs, canSchedule: false };
    const settled = (await use.settle(session, { ownRun, env, flags })) as AllowedRewrite;
    const done = await restoreSession(storageOf(session), session, {
      backup: options.backup,
      original: options.original,
      keepsOriginal: options.keepOriginal,
      force,
      waitMs,
      isInRun: settled.isInRun,
      assertIdle: settled.assertIdle,
      now: () => new Date(),
    });
    return describeRestore(found, done, noteAfterRewrite(done.fault, settled.afterRestore()));
  } catch (error) {
    throw describeFailedWrite(error, session, 'restore');
  }
}

function describeRestore(
  { session, foundBy }: ResolvedSession,
  done: RestoredSession,
  note: string | undefined,
): RestoreOutcome {
  const { restoredFrom, backupPath, linesKept, thinkingUnbound, sizeBefore, sizeAfter, context } = done;
  const notes = [describePath(done), note].filter((text) => text !== undefined);
  const result = {
    success: true,
    mode: 'restore',
    sessionId: session.sessionId,
    ...foundFieldsOf({ session, foundBy }),
    restoredFrom,
    backupPath,
    linesKept,
    ...(thinkingUnbound > 0 && { thinkingUnbound }),
    sizeBefore,
    sizeAfter,
    ...describeRotation(done.rotation),
    context,
    ...(notes.length === 0 ? {} : { note: notes.join(' ') }),
  } as const;
  return { result, session, foundBy };
}

/** What became of a session that was taken on from an earlier entry since the backup was made. */
function describePath({ isRelinked, missed }: RestoredSession): string | undefined {
  if (missed !== undefined)
    return `The model does not read all that was restored, because the session was continued from an earlier entry: ${missed}.`;
  return isRelinked
    ? 'Since the backup was made, the session was continued from an earlier entry. That part now follows the restored lines.'
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
