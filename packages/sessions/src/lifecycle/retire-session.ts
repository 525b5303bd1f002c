import type { LockOptions } from '../disk/lock-file.ts';
import { OpenBotError } from '../errors.ts';
import { isSessionId } from '../layout/safe-id.ts';
import type { StoreDraft, StoredSession } from '../store/contract.ts';
import { archiveTranscript, listTranscriptsOf } from './archive-transcript.ts';
import {
  isBeingDeleted,
  isSamePending,
  type PendingArchive,
  readPendingArchives,
  withPendingArchives,
} from './pending-archive.ts';
import { locateTranscript, type SessionPlace } from './session-place.ts';

/**
 * What the key's next entry must carry so that the transcripts of this one are archived. Transcripts that another
 * entry uses stay where they are.
 */
export function planRetirement(draft: StoreDraft, session: StoredSession, at: number): PendingArchive[] {
  const { sessionId, sessionFile } = session.entry;
  const pending = readPendingArchives(session.entry);
  if (!isSessionId(sessionId) || isUsedElsewhere(draft, session)) return pending;
  if (pending.some((one) => one.sessionId === sessionId)) return pending;
  // Also where there is no transcript yet: somebody may be about to make it.
  return [...pending, { sessionId, sessionFile, reason: 'reset', at }];
}

export function isUsedElsewhere(draft: StoreDraft, { key, entry }: StoredSession): boolean {
  return draft
    .list()
    .some(
      (other) =>
        other.key !== key &&
        (other.entry.sessionId === entry.sessionId ||
          (entry.sessionFile !== undefined && other.entry.sessionFile === entry.sessionFile)),
    );
}

export type Archiving = {
  archived: string[];
  /** What kept the rest from being archived. */
  error?: OpenBotError;
};

export async function archivePending(
  place: SessionPlace,
  pending: PendingArchive,
  lock: LockOptions = {},
): Promise<Archiving> {
  const archived: string[] = [];
  try {
    const paths = pending.keepTranscript ? [] : await findTranscripts(place, pending);
    for (const path of paths) {
      const archive = await archiveTranscript(path, pending.reason, pending.at, lock);
      if (archive !== undefined) archived.push(archive);
    }
    return { archived };
  } catch (error) {
    if (error instanceof OpenBotError) return { archived, error };
    throw error;
  }
}

/**
 * Takes marks that are done out of the entries that bear them. An entry that is to be deleted goes when nothing else is
 * left to do for it, and keeps its own mark until then.
 */
export function settlePending(
  place: SessionPlace,
  settled: ReadonlyMap<string, readonly PendingArchive[]>,
): Promise<void> {
  return place.store.updateMany((draft) => {
    for (const [key, done] of settled) {
      const entry = draft.get(key);
      if (entry === undefined) continue;
      const isDone = (one: PendingArchive) => done.some((two) => isSamePending(one, two));
      const pending = readPendingArchives(entry);
      const left = pending.filter((one) => !isDone(one));
      if (!isBeingDeleted(entry)) draft.set(key, withPendingArchives(entry, left));
      else if (left.length === 0) draft.delete(key);
      else {
        const still = pending.filter((one) => !isDone(one) || one.sessionId === entry.sessionId);
        draft.set(key, withPendingArchives(entry, still));
      }
    }
  });
}

/** Archives what the entry under `key` says is still to be archived. What fails stays marked for the next call. */
export async function finishArchives(
  place: SessionPlace,
  key: string,
  pending: readonly PendingArchive[],
  lock: LockOptions = {},
): Promise<Archiving> {
  const outcome: Archiving = { archived: [] };
  const done: PendingArchive[] = [];
  const sessions = await place.store.list();
  for (const one of pending) {
    if (isInUse(sessions, one)) {
      done.push(one);
      continue;
    }
    const { archived, error } = await archivePending(place, one, lock);
    outcome.archived.push(...archived);
    if (error === undefined) done.push(one);
    else outcome.error = error;
  }
  if (done.length > 0) await settlePending(place, new Map([[key, done]]));
  return outcome;
}

/** Somebody may have made an entry point to it again since. */
function isInUse(sessions: readonly StoredSession[], { sessionId, sessionFile }: PendingArchive): boolean {
  return sessions.some(
    ({ entry }) =>
      !isBeingDeleted(entry) &&
      (entry.sessionId === sessionId || (sessionFile !== undefined && entry.sessionFile === sessionFile)),
  );
}

/** The one that is in use first: if it cannot be archived, nothing was. */
async function findTranscripts(place: SessionPlace, pending: PendingArchive): Promise<string[]> {
  const own = locateIfOurs(place, pending);
  const paths = new Set(own === undefined ? [] : [own]);
  for (const path of await listTranscriptsOf(place.folder, pending.sessionId)) paths.add(path);
  return [...paths];
}

/** A file outside our folder is not ours to rename. */
function locateIfOurs(place: SessionPlace, pending: PendingArchive): string | undefined {
  try {
    return locateTranscript(place, pending);
  } catch (error) {
    if (error instanceof OpenBotError && error.code === 'PATH_ESCAPES_FOLDER') return undefined;
    throw error;
  }
}
