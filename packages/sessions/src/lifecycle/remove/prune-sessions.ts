import type { LockOptions } from '../../disk/lock.ts';
import type { OpenBotError } from '../../errors.ts';
import { type PruneReason, selectEntriesToPrune } from '../../policy/retention.ts';
import type { StoredEntry, StoredSession } from '../../store/contract.ts';
import { type AgentSessions, type AgentSessionsParams, openAgentSessions } from '../agent-sessions.ts';
import { type PendingArchive, readPendingArchives } from '../archive/pending-archive.ts';
import { finishAllArchives } from '../archive/retire-session.ts';
import { type ClockParams, readClock } from '../clock.ts';
import { isLive } from '../locate-entry.ts';
import { removeSessions } from './remove-sessions.ts';

interface PrunedSession {
  sessionKey: string;
  sessionId: string;
  reason: PruneReason;
  archived: string[];
}

interface PruneReport {
  pruned: PrunedSession[];
  /** Sessions that were due and stay, because their transcripts are in use or could not be renamed. */
  failed: { sessionKey: string; error: OpenBotError }[];
  /** Archives that earlier calls had not got to, such as one that was killed. */
  finished: string[];
  /** How many sessions are left. */
  kept: number;
}

/** Removes sessions that are old or too many. Says what it would do, and does nothing, with `dryRun`. */
export async function pruneSessions(
  params: AgentSessionsParams &
    ClockParams & {
      maxAgeMs?: number;
      maxEntries?: number;
      keep?: (sessionKey: string, entry: StoredEntry) => boolean;
      activeKeys?: Iterable<string>;
      mainKey?: string;
      includeMain?: boolean;
      /** `archive` unless given: transcripts of pruned sessions become `.deleted.<time>`. */
      transcripts?: 'archive' | 'keep';
      dryRun?: boolean;
      lock?: LockOptions;
    },
): Promise<PruneReport> {
  const agent = openAgentSessions(params);
  const { now } = readClock(params);
  const reasons = new Map<string, PruneReason>();
  const select = (sessions: readonly StoredSession[]): StoredSession[] => {
    const there = new Map(sessions.filter(isLive).map((session) => [session.key, session]));
    const entries = [...there].map(([key, { entry }]) => [key, entry] as const);
    return selectEntriesToPrune({ ...params, entries, now }).map(({ sessionKey, reason }) => {
      reasons.set(sessionKey, reason);
      return there.get(sessionKey)!;
    });
  };
  const toPruned = (sessionKey: string, sessionId: string, archived: string[]): PrunedSession => ({
    sessionKey,
    sessionId,
    reason: reasons.get(sessionKey)!,
    archived,
  });

  if (params.dryRun) {
    const sessions = (await agent.store.list()).filter(isLive);
    const pruned = select(sessions).map(({ key, entry }) => toPruned(key, entry.sessionId, []));
    return { pruned, failed: [], finished: [], kept: sessions.length - pruned.length };
  }
  // A session in use is skipped, not waited for: it is not as old as it looked.
  const lock = { timeoutMs: 0, ...params.lock };
  const finished = await finishEarlier(agent, lock);
  const removed = await removeSessions(agent, {
    select: async (source) => select(await source.list()),
    at: now,
    keepTranscript: params.transcripts === 'keep',
    lock,
  });
  return {
    pruned: removed
      .filter(({ error }) => error === undefined)
      .map(({ sessionKey, sessionId, archived }) => toPruned(sessionKey, sessionId, archived)),
    failed: removed.flatMap(({ sessionKey, error }) => (error === undefined ? [] : [{ sessionKey, error }])),
    finished,
    kept: (await agent.store.list()).filter(isLive).length,
  };
}

async function finishEarlier(agent: AgentSessions, lock: LockOptions): Promise<string[]> {
  const pending = new Map<string, PendingArchive[]>();
  for (const { key, entry } of await agent.store.list()) {
    const marks = readPendingArchives(entry);
    if (marks.length > 0) pending.set(key, marks);
  }
  return (await finishAllArchives(agent, pending, lock)).archived;
}
