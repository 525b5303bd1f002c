import type { LockOptions } from '../../disk/lock.ts';
import type { SessionEntry } from '../../entry/session-entry.ts';
import type { OpenBotError } from '../../errors.ts';
import { copyJson } from '../../store/json-value.ts';
import { type AgentSessionsParams, openAgentSessions, readOwnKey } from '../agent-sessions.ts';
import { readPendingArchives, withPendingArchives } from '../archive/pending-archive.ts';
import { finishArchives } from '../archive/retire-session.ts';
import { type ClockParams, readClock } from '../clock.ts';
import { startSession } from '../init/start-session.ts';
import { isLive, locateEntry } from '../locate-entry.ts';
import { assertExpected } from './reset-session.ts';

interface ReturnToSessionResult {
  sessionKey: string;
  sessionEntry: SessionEntry;
  /** The session that the key pointed to, if it was another one. */
  replaced?: {
    sessionEntry: SessionEntry;
    archived: string[];
    /** As of a reset: why a transcript keeps its name for now. */
    archiveError?: OpenBotError;
  };
}

/**
 * Makes a key point to a session that it pointed to before, or that has no key, in one change; its transcript must have its
 * own name again. Another session that the key points to is archived as by a reset, and nothing of it that a reset clears is
 * passed on.
 */
export async function returnToSession(
  params: AgentSessionsParams &
    ClockParams & {
      sessionKey: string;
      /** What is known of it. */
      session: Partial<SessionEntry> & Pick<SessionEntry, 'sessionId'>;
      /** Fails with STORE_CONFLICT when the key points to another session by now. */
      expectedSessionId?: string;
      lock?: LockOptions;
    },
): Promise<ReturnToSessionResult> {
  const agent = openAgentSessions(params);
  const { now } = readClock(params);
  const asked = readOwnKey(agent, params.sessionKey);
  const { session } = params;
  const { key, previous, entry } = await agent.store.updateMany(async (draft) => {
    const found = await locateEntry(draft, asked, agent);
    if (found !== undefined) assertExpected(found.entry.sessionId, params.expectedSessionId, asked);
    const isSame = found !== undefined && found.entry.sessionId === session.sessionId;
    const name = { sessionId: session.sessionId, sessionFile: session.sessionFile ?? '' };
    const begun = isSame ? found.entry : startSession(draft, found, name, now);
    const sessionKey = found?.key ?? params.sessionKey;
    // A mark of an earlier reset or removal would take the session away again.
    const pending = readPendingArchives(begun).filter(({ sessionId }) => sessionId !== session.sessionId);
    const next = { ...begun, ...session, sessionFile: session.sessionFile, updatedAt: now };
    draft.set(sessionKey, withPendingArchives(next, pending));
    const other = isSame || !isLive(found) ? undefined : found.entry;
    return { key: sessionKey, previous: other, entry: draft.get(sessionKey)! };
  });
  const { archived, error } = await finishArchives(agent, key, readPendingArchives(entry), params.lock);
  return {
    sessionKey: key,
    sessionEntry: copyJson((await agent.store.get(key)) ?? entry) as SessionEntry,
    ...(previous && {
      replaced: { sessionEntry: copyJson(previous) as SessionEntry, archived, archiveError: error },
    }),
  };
}
