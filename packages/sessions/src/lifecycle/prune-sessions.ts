import type { LockOptions } from '../disk/lock-file.ts';
import type { OpenBotError } from '../errors.ts';
import { type PruneReason, selectEntriesToPrune } from '../policy/retention.ts';
import type { StoredEntry, StoredSession } from '../store/contract.ts';
import { type MomentParams, readMoment } from './moment.ts';
import { isBeingDeleted, readPendingArchives } from './pending-archive.ts';
import { removeSessions } from './remove-sessions.ts';
import { finishArchives } from './retire-session.ts';
import { openPlace, type PlaceParams, type SessionPlace } from './session-place.ts';

export type PrunedSession = {
  sessionKey: string;
  sessionId: string;
  reason: PruneReason;
  archived: string[];
};

export type PruneReport = {
  pruned: PrunedSession[];
  /** Sessions that were due and stay, because their transcripts are in use or could not be renamed. */
  failed: { sessionKey: string; error: OpenBotError }[];
  /** Archives that earlier calls had not got to, such as one that was killed. */
  finished: string[];
  /** How many sessions are left. */
  kept: number;
};

/** Removes sessions that are old or too many. Says what it would do, and does nothing, with `dryRun`. */
export async function pruneSessions(
  params: PlaceParams &
    MomentParams & {
      maxAgeMs?: number | undefined;
      maxEntries?: number | undefined;
      keep?: ((sessionKey: string, entry: StoredEntry) => boolean) | undefined;
      activeKeys?: Iterable<string> | undefined;
      mainKey?: string | undefined;
      includeMain?: boolean | undefined;
      /** `archive` unless given: transcripts of pruned sessions become `.deleted.<time>`. */
      transcripts?: 'archive' | 'keep' | undefined;
      dryRun?: boolean | undefined;
      lock?: LockOptions | undefined;
    },
): Promise<PruneReport> {
  const place = openPlace(params);
  const { now } = readMoment(params);
  const reasons = new Map<string, PruneReason>();
  const select = (sessions: readonly StoredSession[]): StoredSession[] => {
    reasons.clear();
    const entries = sessions.map(({ key, entry }) => [key, entry] as const);
    for (const { sessionKey, reason } of selectEntriesToPrune({ ...params, entries, now })) {
      reasons.set(sessionKey, reason);
    }
    return sessions.filter(({ key }) => reasons.has(key));
  };
  const toPruned = (sessionKey: string, sessionId: string, archived: string[]): PrunedSession => ({
    sessionKey,
    sessionId,
    reason: reasons.get(sessionKey)!,
    archived,
  });

  if (params.dryRun) {
    const sessions = await place.store.list();
    const due = select(sessions);
    const pruned = due.map(({ key, entry }) => toPruned(key, entry.sessionId, []));
    return { pruned, failed: [], finished: [], kept: sessions.length - due.length };
  }
  // Nobody waits for a session in use here: it is not as old as it looked.
  const lock = { timeoutMs: 0, ...params.lock };
  const finished = await finishEarlier(place, lock);
  const keepTranscript = params.transcripts === 'keep';
  const removed = await removeSessions(place, (draft) => select(draft.list()), {
    at: now,
    keepTranscript,
    lock,
  });
  return {
    pruned: removed
      .filter(({ error }) => error === undefined)
      .map(({ sessionKey, sessionId, archived }) => toPruned(sessionKey, sessionId, archived)),
    failed: removed.flatMap(({ sessionKey, error }) => (error === undefined ? [] : [{ sessionKey, error }])),
    finished,
    kept: (await place.store.list()).filter(({ entry }) => !isBeingDeleted(entry)).length,
  };
}

async function finishEarlier(place: SessionPlace, lock: LockOptions): Promise<string[]> {
  const finished: string[] = [];
  for (const { key, entry } of await place.store.list()) {
    const pending = readPendingArchives(entry);
    if (pending.length > 0) finished.push(...(await finishArchives(place, key, pending, lock)).archived);
  }
  return finished;
}
