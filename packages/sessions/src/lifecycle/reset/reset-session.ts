import type { LockOptions } from '../../disk/lock.ts';
import type { SessionEntry } from '../../entry/session-entry.ts';
import { OpenBotError } from '../../errors.ts';
import { parseThreadSessionSuffix } from '../../key/thread.ts';
import { copyJson } from '../../store/json-value.ts';
import { ensureTranscript } from '../../transcript-file/create.ts';
import { type AgentSessionsParams, openAgentSessions, readOwnKey } from '../agent-sessions.ts';
import { type EndReason, readPendingArchives } from '../archive/pending-archive.ts';
import { finishArchives } from '../archive/retire-session.ts';
import { type ClockParams, readClock } from '../clock.ts';
import { nameSession, startSession } from '../init/start-session.ts';
import { requireEntry } from '../locate-entry.ts';

interface ResetSessionResult {
  sessionKey: string;
  sessionId: string;
  sessionEntry: SessionEntry;
  previousSessionEntry: SessionEntry;
  /** The archives that were made. */
  archived: string[];
  /** Why a transcript keeps its name for now, such as a run that still writes to it. A later call archives it. */
  archiveError?: OpenBotError;
}

/** Gives the key a new session: another id, what the person set is kept, the old transcript is archived. */
export async function resetSession(
  params: AgentSessionsParams &
    ClockParams & {
      sessionKey: string;
      /** Fails with STORE_CONFLICT when the key points to another session by now. */
      expectedSessionId?: string;
      /** Given, the new transcript is made at once, with its header. */
      cwd?: string;
      lock?: LockOptions;
      /** In the name of the archive. `reset`. */
      reason?: EndReason;
    },
): Promise<ResetSessionResult> {
  const agent = openAgentSessions(params);
  const clock = readClock(params);
  const asked = readOwnKey(agent, params.sessionKey);
  const { key, previous, entry } = await agent.store.updateMany(async (draft) => {
    const found = await requireEntry(draft, agent, asked);
    assertExpected(found.entry.sessionId, params.expectedSessionId, asked);
    const fresh = await nameSession(agent, clock, parseThreadSessionSuffix(found.key).threadId);
    draft.set(found.key, startSession(draft, found, fresh, clock.now, params.reason));
    return { key: found.key, previous: found.entry, entry: draft.get(found.key)! };
  });
  const { sessionId, sessionFile } = entry;
  const { archived, error } = await finishArchives(agent, key, readPendingArchives(entry), params.lock);
  if (params.cwd !== undefined) {
    await ensureTranscript({ path: sessionFile!, sessionId, cwd: params.cwd, now: () => clock.now });
  }
  return {
    sessionKey: key,
    sessionId,
    sessionEntry: copyJson((await agent.store.get(key)) ?? entry) as SessionEntry,
    previousSessionEntry: copyJson(previous) as SessionEntry,
    archived,
    archiveError: error,
  };
}

/** Fails with STORE_CONFLICT when the key points to another session than the caller decided about. */
export function assertExpected(actual: string, expected: string | undefined, sessionKey: string): void {
  if (expected === undefined || expected === actual) return;
  throw new OpenBotError('STORE_CONFLICT', `${sessionKey} now points to ${actual}, not to ${expected}`, {
    hint: 'Nothing was changed. Read the session again before you try again.',
  });
}
