import { dirname, join } from 'node:path';
import { openFileSessionStore, type SessionEntry, type StoredEntry } from '@openbot/sessions';
import { STORE_FILE_NAME } from '@openbot/sessions/layout';
import type { FoundSession } from '../storage/contract/found-session.ts';
import { type Counters, lowerCounters, putBackCounters, readCounters } from './counters.ts';

/** A session's entry in the index beside it. */
export interface IndexEntry {
  /** As they are now; undefined where the index no longer knows the session. */
  readCounters(): Promise<Counters | undefined>;
  /** To the computed size of the context. */
  lowerCounters(tokens: number): Promise<void>;
  /** Puts back what `readCounters` gave, unless the agent has counted again since. */
  putBack(counters: Counters): Promise<void>;
}

/** The index that names a session in a file, or would. */
export function indexPathOf({ indexPath, path }: Pick<FoundSession, 'indexPath' | 'path'>): string {
  return indexPath ?? join(dirname(path), STORE_FILE_NAME);
}

/** Undefined for a session that no index knows. */
export function indexEntryOf(session: FoundSession): IndexEntry | undefined {
  const { sessionKey, sessionId } = session;
  if (session.source !== 'openclaw' || sessionKey === undefined) return undefined;
  const store = openFileSessionStore(indexPathOf(session));
  const change = async (make: (entry: StoredEntry) => SessionEntry | undefined) => {
    await store.update(sessionKey, (entry) => (entry?.sessionId === sessionId ? make(entry) : undefined));
  };
  return {
    async readCounters() {
      const entry = await store.get(sessionKey);
      return entry?.sessionId === sessionId ? readCounters(entry) : undefined;
    },
    lowerCounters: (tokens) => change((entry) => lowerCounters(entry, tokens)),
    putBack: (counters) => change((entry) => putBackCounters(entry, counters)),
  };
}
