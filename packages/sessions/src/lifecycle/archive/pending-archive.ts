import type { OpenSessionEntry, SessionEntry } from '../../entry/session-entry.ts';
import { isSessionId } from '../../layout/safe-id.ts';

/** Why a key gets another session: the old one is over, or nothing in its transcript can be read. */
export type EndReason = 'reset' | 'damaged';

/**
 * A transcript that is to be set aside but still has its own name. Written into the entry by the very change that
 * makes the key point to another session, and removed when the file is renamed: after a crash it is found here.
 */
export interface PendingArchive {
  sessionId: string;
  sessionFile?: string;
  /** `deleted` for the entry's own session id means that the entry itself is to go. */
  reason: EndReason | 'deleted';
  /** When that was decided, ms: the time in the archive's name. */
  at: number;
  /** The entry goes, its transcript stays where it is. */
  keepTranscript?: boolean;
}

const FIELD = 'pendingArchives';

export function readPendingArchives(entry: Readonly<SessionEntry>): PendingArchive[] {
  const value = (entry as OpenSessionEntry)[FIELD];
  return Array.isArray(value) ? value.filter(isPendingArchive) : [];
}

export function withPendingArchives(
  entry: Readonly<SessionEntry>,
  pending: readonly PendingArchive[],
): SessionEntry {
  return { ...entry, [FIELD]: pending.length === 0 ? undefined : pending } as SessionEntry;
}

/** Such an entry counts as gone: a crash only kept it from being removed. */
export function isBeingDeleted(entry: Readonly<SessionEntry>): boolean {
  return readPendingArchives(entry).some(
    ({ reason, sessionId }) => reason === 'deleted' && sessionId === entry.sessionId,
  );
}

export function isSamePending(a: PendingArchive, b: PendingArchive): boolean {
  return a.sessionId === b.sessionId && a.reason === b.reason;
}

function isPendingArchive(value: unknown): value is PendingArchive {
  if (typeof value !== 'object' || value === null) return false;
  const { sessionId, sessionFile, reason, at } = value as Partial<PendingArchive>;
  return (
    isSessionId(sessionId) &&
    (sessionFile === undefined || typeof sessionFile === 'string') &&
    (reason === 'reset' || reason === 'deleted' || reason === 'damaged') &&
    typeof at === 'number' &&
    Number.isFinite(at)
  );
}
