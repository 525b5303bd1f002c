import type { OpenSessionEntry, SessionEntry } from '../../entry/session-entry.ts';
import { isSessionId } from '../../layout/safe-id.ts';
import type { StoredSession } from '../../store/contract.ts';
import type { AgentSessions } from '../agent-sessions.ts';
import { listTranscriptsOf } from '../archive/archive-transcript.ts';
import { isLive } from '../locate-entry.ts';

/** Marks an entry that was made to hold who wrote or where to answer, before any message began its session. */
const FIELD = 'recordedOnly';

export function markRecorded(entry: SessionEntry): SessionEntry {
  return { ...entry, sessionFile: undefined, [FIELD]: true } as SessionEntry;
}

/** What takes the mark off, with the first use of the session. */
export const BEGUN = { [FIELD]: undefined } as Partial<SessionEntry>;

/** Whether the key has a session that a message can go on with, or end. */
export async function hasBegun(agent: AgentSessions, session: StoredSession | undefined): Promise<boolean> {
  if (!isLive(session) || !isSessionId(session.entry.sessionId)) return false;
  const { sessionId, sessionFile, [FIELD]: isMarked } = session.entry as OpenSessionEntry;
  if (isMarked !== true || sessionFile !== undefined) return true;
  // Other programs do not know the mark, but a transcript shows that they used the session.
  return (await listTranscriptsOf(agent.folder, sessionId)).length > 0;
}
