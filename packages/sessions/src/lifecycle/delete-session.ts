import type { LockOptions } from '../disk/lock-file.ts';
import { locateEntry } from './locate-entry.ts';
import { type MomentParams, readMoment } from './moment.ts';
import { removeSessions } from './remove-sessions.ts';
import { assertExpected } from './reset-session.ts';
import { openPlace, type PlaceParams, readOwnKey } from './session-place.ts';

export type DeleteSessionResult = {
  /** False when there was no such session. */
  deleted: boolean;
  sessionKey: string;
  sessionId?: string;
  archived: string[];
};

/**
 * Removes a session's entry and archives its transcripts. A transcript in use is waited for; when that fails with
 * LOCK_TIMEOUT the session is as it was.
 */
export async function deleteSession(
  params: PlaceParams &
    MomentParams & {
      sessionKey: string;
      expectedSessionId?: string | undefined;
      /** Leaves the transcripts where they are, under their own names. */
      keepTranscript?: boolean | undefined;
      lock?: LockOptions | undefined;
    },
): Promise<DeleteSessionResult> {
  const place = openPlace(params);
  const { now } = readMoment(params);
  const asked = readOwnKey(place, params.sessionKey);
  const [removed] = await removeSessions(
    place,
    async (draft) => {
      const found = await locateEntry(draft, asked);
      if (found !== undefined) assertExpected(found.entry.sessionId, params.expectedSessionId, asked);
      return found === undefined ? [] : [found];
    },
    { at: now, keepTranscript: params.keepTranscript ?? false, lock: params.lock },
  );
  if (removed === undefined) return { deleted: false, sessionKey: asked, archived: [] };
  if (removed.error !== undefined) throw removed.error;
  const { sessionKey, sessionId, archived } = removed;
  return { deleted: true, sessionKey, sessionId, archived };
}
