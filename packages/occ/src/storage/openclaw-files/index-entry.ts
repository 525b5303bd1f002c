import { dirname, join } from 'node:path';
import { openFileSessionStore } from '@openbot/sessions';
import { STORE_FILE_NAME } from '@openbot/sessions/layout';
import { readCounters } from '../../rewrite/counters.ts';
import type { FoundSession } from '../contract/found-session.ts';
import type { IndexEntry } from '../files/replace-file.ts';

/** The index that names a session in a file, or would. */
export function indexPathOf({ indexPath, path }: Pick<FoundSession, 'indexPath' | 'path'>): string {
  return indexPath ?? join(dirname(path), STORE_FILE_NAME);
}

/** The entry of a session in its index; undefined for a session that no index names. */
export function indexEntryOf(session: FoundSession): IndexEntry | undefined {
  const { sessionKey, sessionId } = session;
  if (sessionKey === undefined) return undefined;
  const store = openFileSessionStore(indexPathOf(session));
  return {
    async readCounters() {
      const entry = await store.get(sessionKey);
      return entry?.sessionId === sessionId ? readCounters(entry) : undefined;
    },
    async change(change) {
      await store.update(sessionKey, (entry) => (entry?.sessionId === sessionId ? change(entry) : undefined));
    },
  };
}
