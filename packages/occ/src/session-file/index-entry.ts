import { dirname, join } from 'node:path';
import {
  openFileSessionStore,
  type SessionEntry,
  STORE_FILE_NAME,
  type StoredEntry,
} from '@openbot/sessions';
import type { FoundSession } from '../sources/found-session.ts';

/** The counters from which OpenClaw tells how full the context is. */
const COUNTERS = ['totalTokens', 'totalTokensFresh', 'contextBudgetStatus'] as const;
type Counter = (typeof COUNTERS)[number];
type Counters = Readonly<Record<string, unknown>>;

/** A session's entry in the index beside it. */
export interface IndexEntry {
  /** As they are now; undefined where the index no longer knows the session. */
  readCounters(): Promise<Counters | undefined>;
  /** To the computed size of the context. `totalTokensFresh: false` marks it as nobody's recorded figure. */
  lowerCounters(tokens: number): Promise<void>;
  /**
   * Puts back what `readCounters` gave, unless the agent has counted again since. A figure of ours, which stands for a
   * cleaned session, is put back even then where it is the lower one: what the agent counted was not cleaned.
   */
  putBack(counters: Counters): Promise<void>;
}

/** Undefined for a session that no index knows. */
export function indexEntryOf(session: FoundSession): IndexEntry | undefined {
  const { sessionKey, sessionId } = session;
  if (session.source !== 'openclaw' || sessionKey === undefined) return undefined;
  const store = openFileSessionStore(join(dirname(session.path), STORE_FILE_NAME));
  const change = async (make: (entry: StoredEntry) => SessionEntry | undefined) => {
    await store.update(sessionKey, (entry) => (entry?.sessionId === sessionId ? make(entry) : undefined));
  };
  return {
    async readCounters() {
      const entry = await store.get(sessionKey);
      if (entry?.sessionId !== sessionId) return undefined;
      const counters = COUNTERS.map((name) => [name, (entry as Counters)[name]] as const);
      return Object.fromEntries(counters.filter(([, value]) => value !== undefined));
    },
    lowerCounters: (tokens) =>
      change((entry) => {
        if (typeof entry.totalTokens !== 'number' || entry.totalTokens <= tokens) return undefined;
        const { contextBudgetStatus: _, ...rest } = entry;
        return { ...rest, totalTokens: tokens, totalTokensFresh: false };
      }),
    putBack: (counters) =>
      change((entry) => {
        const isLowered =
          counters.totalTokensFresh === false && isLess(counters.totalTokens, entry.totalTokens);
        if (entry.totalTokensFresh !== false && !isLowered) return undefined;
        const rest = Object.entries(entry).filter(([name]) => !COUNTERS.includes(name as Counter));
        return { ...Object.fromEntries(rest), ...counters } as SessionEntry;
      }),
  };
}

function isLess(a: unknown, b: unknown): boolean {
  return typeof a === 'number' && typeof b === 'number' && a < b;
}
