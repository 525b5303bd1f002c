import { join } from 'node:path';
import type { SessionEntry } from '../../entry/session-entry.ts';
import { OpenBotError } from '../../errors.ts';
import { assertSessionId, transcriptFileName } from '../../layout/safe-id.ts';
import type { StoreDraft, StoredSession } from '../../store/contract.ts';
import type { AgentSessions } from '../agent-sessions.ts';
import { listTranscriptsOf } from '../archive/archive-transcript.ts';
import {
  type EndReason,
  isBeingDeleted,
  readPendingArchives,
  withPendingArchives,
} from '../archive/pending-archive.ts';
import { planRetirement } from '../archive/retire-session.ts';
import type { Clock } from '../clock.ts';
import { startNextEntry } from '../reset/reset-fields.ts';
import { BEGUN } from './recorded-session.ts';

export interface SessionFileName {
  sessionId: string;
  sessionFile: string;
}

/**
 * The entry with which a key begins a new session: another id and transcript, what is kept of the one before, and
 * the marks that let its transcript be archived. Nothing is kept of an entry that was to be deleted. A session that was
 * only recorded may begin with the id that it has.
 */
export function startSession(
  draft: StoreDraft,
  previous: StoredSession | undefined,
  fresh: SessionFileName,
  now: number,
  reason?: EndReason,
): SessionEntry {
  if (previous === undefined) return startNextEntry(undefined, { ...fresh, now });
  const isSame = previous.entry.sessionId === fresh.sessionId;
  const pending = isSame ? readPendingArchives(previous.entry) : planRetirement(draft, previous, now, reason);
  const kept = isBeingDeleted(previous.entry) ? undefined : previous.entry;
  return withPendingArchives({ ...startNextEntry(kept, { ...fresh, now }), ...BEGUN }, pending);
}

/** An id that has no transcript yet, and the file it will have. */
export async function nameSession(
  agent: AgentSessions,
  clock: Clock,
  topicId?: string | number,
): Promise<SessionFileName> {
  const sessionId = assertSessionId(clock.newId());
  if ((await listTranscriptsOf(agent.folder, sessionId)).length > 0) {
    throw new OpenBotError('TRANSCRIPT_EXISTS', `There is a transcript of ${sessionId} already`, {
      hint: 'Nothing was changed. Every session needs an id of its own.',
    });
  }
  return { sessionId, sessionFile: join(agent.folder, nameTranscript(sessionId, topicId)) };
}

/** A thread whose id cannot be part of a file name does without: the session id alone is unique as well. */
export function nameTranscript(sessionId: string, topicId: string | number | undefined): string {
  try {
    return transcriptFileName(sessionId, topicId);
  } catch (error) {
    if (!(error instanceof OpenBotError)) throw error;
    return transcriptFileName(sessionId);
  }
}
