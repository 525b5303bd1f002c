import type { LockOptions } from '../disk/lock-file.ts';
import type { OpenBotError } from '../errors.ts';
import { isSessionId } from '../layout/safe-id.ts';
import type { StoreDraft, StoredSession } from '../store/contract.ts';
import { type PendingArchive, readPendingArchives, withPendingArchives } from './pending-archive.ts';
import { archivePending, isUsedElsewhere, settlePending } from './retire-session.ts';
import type { SessionPlace } from './session-place.ts';

export type RemovedSession = {
  sessionKey: string;
  sessionId: string;
  /** Archives that were made of its transcripts. */
  archived: string[];
  /** Why the session is still there: its transcript could not be archived. */
  error?: OpenBotError;
};

export type RemoveOptions = {
  at: number;
  keepTranscript: boolean;
  lock?: LockOptions | undefined;
};

type Marked = { session: StoredSession; marks: PendingArchive[] };

/**
 * Removes the sessions that `select` names, in three steps: marks their entries, archives their transcripts, takes the
 * entries out. A session whose transcript cannot be archived gets its mark taken off again and stays as it was. After
 * a crash a marked entry counts as gone, and the next call that meets it finishes.
 */
export async function removeSessions(
  place: SessionPlace,
  select: (draft: StoreDraft) => readonly StoredSession[] | Promise<readonly StoredSession[]>,
  options: RemoveOptions,
): Promise<RemovedSession[]> {
  const marked = await place.store.updateMany(async (draft) => {
    const sessions = await select(draft);
    return sessions.flatMap((session) => markSession(draft, session, options));
  });
  const removed: RemovedSession[] = [];
  const settled = new Map<string, PendingArchive[]>();
  const spared: Marked[] = [];
  for (const one of marked) {
    const { outcome, done } = await archiveMarks(place, one, options.lock);
    removed.push(outcome);
    // What was begun is finished by a later call: half of a session must not come back.
    if (outcome.error !== undefined && outcome.archived.length === 0) spared.push(one);
    else settled.set(one.session.key, done);
  }
  if (settled.size > 0) await settlePending(place, settled);
  if (spared.length > 0) await unmark(place, spared);
  return removed;
}

/** An entry without a usable session id has no transcript, and one that was marked before keeps that mark. */
function markSession(draft: StoreDraft, session: StoredSession, options: RemoveOptions): Marked[] {
  const { key, entry } = session;
  const { sessionId, sessionFile } = entry;
  if (!isSessionId(sessionId)) {
    draft.delete(key);
    return [{ session, marks: [] }];
  }
  const keepTranscript = options.keepTranscript || isUsedElsewhere(draft, session);
  const earlier = readPendingArchives(entry);
  const isOwn = (one: PendingArchive) => one.reason === 'deleted' && one.sessionId === sessionId;
  const begun = earlier.some(isOwn);
  if (keepTranscript && earlier.length === 0) {
    draft.delete(key);
    return [{ session, marks: [] }];
  }
  const own: PendingArchive = {
    sessionId,
    sessionFile,
    reason: 'deleted',
    at: options.at,
    ...(keepTranscript ? { keepTranscript } : {}),
  };
  const marks = begun ? earlier.toSorted((a, b) => Number(isOwn(b)) - Number(isOwn(a))) : [own, ...earlier];
  draft.set(key, withPendingArchives(entry, marks));
  return [{ session, marks }];
}

async function archiveMarks(
  place: SessionPlace,
  { session, marks }: Marked,
  lock: LockOptions | undefined,
): Promise<{ outcome: RemovedSession; done: PendingArchive[] }> {
  const outcome: RemovedSession = {
    sessionKey: session.key,
    sessionId: session.entry.sessionId,
    archived: [],
  };
  const done: PendingArchive[] = [];
  for (const mark of marks) {
    const { archived, error } = await archivePending(place, mark, lock);
    outcome.archived.push(...archived);
    if (error === undefined) done.push(mark);
    // Older transcripts that are still in use are left to a later call; the session is gone without them.
    else if (mark === marks[0]) {
      outcome.error = error;
      break;
    }
  }
  return { outcome, done };
}

function unmark(place: SessionPlace, spared: readonly Marked[]): Promise<void> {
  return place.store.updateMany((draft) => {
    for (const { session } of spared) {
      const entry = draft.get(session.key);
      if (entry === undefined || entry.sessionId !== session.entry.sessionId) continue;
      const rest = readPendingArchives(entry).filter(
        (one) => one.reason !== 'deleted' || one.sessionId !== entry.sessionId,
      );
      draft.set(session.key, withPendingArchives(entry, rest));
    }
  });
}
