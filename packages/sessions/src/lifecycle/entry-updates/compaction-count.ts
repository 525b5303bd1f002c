import type { SessionEntry } from '../../entry/session-entry.ts';
import type { SessionStore } from '../../store/contract.ts';
import { type AgentSessionsParams, openAgentSessions } from '../agent-sessions.ts';
import { type ClockParams, readClock } from '../clock.ts';
import { changeEntry } from './change-entry.ts';

/**
 * Counts a compaction that the agent made, in the store and in the caller's own copies of the entry (a frozen one
 * is replaced in `sessionStore`). With `tokensAfter`
 * the context's size is known; without it the old one is marked as out of date. Undefined when there is no entry.
 */
export async function incrementCompactionCount(
  params: ClockParams & {
    sessionEntry?: SessionEntry;
    sessionStore?: Record<string, SessionEntry>;
    sessionKey?: string;
    storePath?: string;
    store?: SessionStore;
    agentId?: string;
    /** The session that was compacted. If the key points to another one by now, nothing is written. */
    sessionId?: string;
    tokensAfter?: number;
  },
): Promise<number | undefined> {
  const { sessionKey, sessionStore, storePath } = params;
  const known = (sessionKey && sessionStore?.[sessionKey]) || params.sessionEntry;
  if (storePath === undefined || sessionKey === undefined) {
    if (known === undefined) return undefined;
    return remember(params, { ...known, ...countCompactions(known, 1, params.tokensAfter) });
  }
  const agent = openAgentSessions({ storePath, store: params.store, agentId: params.agentId });
  const entry = await changeEntry(agent, readClock(params), {
    sessionKey,
    sessionId: params.sessionId ?? params.sessionEntry?.sessionId,
    isActivity: true,
    patch: (stored) => countCompactions(stored, 1, params.tokensAfter),
  });
  return entry === null ? undefined : remember(params, entry);
}

/** The fields that compactions change; `tokensAfter` is of the last one. */
export function countCompactions(
  entry: Readonly<SessionEntry>,
  made: number,
  tokensAfter: number | undefined,
): Partial<SessionEntry> & { compactionCount: number } {
  const count = entry.compactionCount;
  return {
    ...readFigures(entry, tokensAfter),
    compactionCount: (typeof count === 'number' && Number.isFinite(count) ? count : 0) + made,
    contextBudgetStatus: undefined,
  };
}

function readFigures(entry: Readonly<SessionEntry>, tokensAfter: number | undefined): Partial<SessionEntry> {
  if (typeof tokensAfter === 'number' && Number.isFinite(tokensAfter) && tokensAfter > 0) {
    return {
      totalTokens: Math.round(tokensAfter),
      totalTokensFresh: true,
      inputTokens: undefined,
      outputTokens: undefined,
      cacheRead: undefined,
      cacheWrite: undefined,
    };
  }
  return entry.totalTokens === undefined ? {} : { totalTokensFresh: false };
}

function remember(
  params: {
    sessionEntry?: SessionEntry;
    sessionStore?: Record<string, SessionEntry>;
    sessionKey?: string;
  },
  entry: SessionEntry,
): number | undefined {
  const { sessionEntry, sessionStore, sessionKey } = params;
  const own = sessionEntry === undefined || Object.isFrozen(sessionEntry) ? undefined : sessionEntry;
  if (own !== undefined) {
    // Gone from the store means gone from the copy.
    for (const field of Object.keys(own)) {
      if (!(field in entry)) delete (own as Record<string, unknown>)[field];
    }
    Object.assign(own, entry);
  }
  if (sessionStore !== undefined && sessionKey !== undefined) sessionStore[sessionKey] = own ?? entry;
  return entry.compactionCount;
}

/** Notes that the agent has saved its memories, so that it is not asked again before the next compaction. */
export async function markMemoryFlushed(
  params: AgentSessionsParams &
    ClockParams & {
      sessionKey: string;
      sessionId?: string;
      /** The count that the flush belongs to; the entry's own when absent. */
      compactionCount?: number;
    },
): Promise<SessionEntry | null> {
  const clock = readClock(params);
  return changeEntry(openAgentSessions(params), clock, {
    sessionKey: params.sessionKey,
    sessionId: params.sessionId,
    isActivity: true,
    patch: (entry) => ({
      memoryFlushAt: clock.now,
      memoryFlushCompactionCount: params.compactionCount ?? entry.compactionCount ?? 0,
    }),
  });
}
