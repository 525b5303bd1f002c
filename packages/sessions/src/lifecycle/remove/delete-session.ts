import type { LockOptions } from '../../disk/lock.ts';
import { type AgentSessionsParams, openAgentSessions, readOwnKey } from '../agent-sessions.ts';
import { type ClockParams, readClock } from '../clock.ts';
import { locateEntries, locateEntry } from '../locate-entry.ts';
import { assertExpected } from '../reset/reset-session.ts';
import { removeTogether } from './remove-sessions.ts';

interface DeleteSessionResult {
  /** False when there was no such session. */
  deleted: boolean;
  sessionKey: string;
  sessionId?: string;
  archived: string[];
}

/**
 * Removes a session's entry and archives its transcripts. Where the store has the conversation under several spellings
 * of its key all of them go, or the next message would find an older one. A transcript in use is waited for, and until
 * then, or when that fails with LOCK_TIMEOUT, nothing is changed.
 */
export async function deleteSession(
  params: AgentSessionsParams &
    ClockParams & {
      sessionKey: string;
      expectedSessionId?: string;
      /** Leaves the transcripts where they are, under their own names. */
      keepTranscript?: boolean;
      lock?: LockOptions;
    },
): Promise<DeleteSessionResult> {
  const agent = openAgentSessions(params);
  const { now } = readClock(params);
  const asked = readOwnKey(agent, params.sessionKey);
  const removed = await removeTogether(agent, {
    select: async (source) => {
      const current = await locateEntry(source, asked, agent);
      if (current === undefined) return [];
      assertExpected(current.entry.sessionId, params.expectedSessionId, asked);
      const others = (await locateEntries(source, asked, agent)).filter(({ key }) => key !== current.key);
      return [current, ...others];
    },
    at: now,
    keepTranscript: params.keepTranscript ?? false,
    lock: params.lock,
  });
  const [current] = removed;
  if (current === undefined) return { deleted: false, sessionKey: asked, archived: [] };
  for (const { error } of removed) if (error !== undefined) throw error;
  const { sessionKey, sessionId } = current;
  return { deleted: true, sessionKey, sessionId, archived: removed.flatMap(({ archived }) => archived) };
}
