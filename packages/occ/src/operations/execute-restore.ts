import { listBackupFiles } from '../session-file/backups.ts';
import { indexEntryOf } from '../session-file/index-entry.ts';
import { readJournal } from '../session-file/journal.ts';
import { keepingPlaceOf } from '../session-file/place.ts';
import { restoreSessionFile } from '../session-file/restore-file.ts';
import { ownRunOf, settleUse } from '../session-file/settle-use.ts';
import type { SearchPlace } from '../sources/found-session.ts';
import { resolveSession } from '../sources/resolve-session.ts';
import { describeFailedWrite, noteAfterRewrite } from './failed-write.ts';
import type { BackupInfo, RestoreOutcome } from './results.ts';

export interface RestoreOptions {
  readonly place: SearchPlace;
  readonly sessionId?: string | undefined;
  /** The number of a backup; the newest when left out. */
  readonly backup?: number | undefined;
  readonly force?: boolean | undefined;
  readonly waitMs?: number | undefined;
}

/** Puts back the state before an edit; what was said since follows it. Makes a backup first, so that it can be undone. */
export async function executeRestore(options: RestoreOptions): Promise<RestoreOutcome> {
  const { place } = options;
  const { session, foundBy } = await resolveSession(place, options.sessionId);
  const settled = await settleUse({
    path: session.path,
    sessionId: session.sessionId,
    source: session.source,
    ownRun: ownRunOf(session, foundBy, place.env),
    flags: { force: options.force, waitMs: options.waitMs, canSchedule: false },
  });
  try {
    const done = await restoreSessionFile({
      path: session.path,
      sessionId: session.sessionId,
      source: session.source,
      backup: options.backup,
      entry: indexEntryOf(session),
      lock: { timeoutMs: LOCK_WAIT_MS },
      now: () => new Date(),
    });
    const { restoredFrom, backupPath, linesKept, sizeBefore, sizeAfter, fault } = done;
    const note = noteAfterRewrite(fault, settled.note);
    const result = {
      success: true,
      mode: 'restore',
      sessionId: session.sessionId,
      restoredFrom,
      backupPath,
      linesKept,
      sizeBefore,
      sizeAfter,
      ...(note === undefined ? {} : { note }),
    } as const;
    return { result, session, foundBy };
  } catch (error) {
    throw describeFailedWrite(error, session.path, 'restore');
  }
}

const LOCK_WAIT_MS = 5000;

/** The backups of a session, newest first. */
export async function listBackups(
  options: Pick<RestoreOptions, 'place' | 'sessionId'>,
): Promise<BackupInfo[]> {
  const { session } = await resolveSession(options.place, options.sessionId);
  const { rewrites } = readJournal(session.path, session.source);
  const kindOf = new Map(rewrites.map(({ backup, kind }) => [backup, kind]));
  return listBackupFiles(keepingPlaceOf(session.path, session.source), session.path)
    .map(({ number, path, sizeBytes, createdAt }) => ({
      number,
      path,
      sizeBytes,
      createdAt: Math.floor(createdAt),
      madeBefore: kindOf.get(number) ?? ('unknown' as const),
    }))
    .reverse();
}
