import type { LockOptions } from '../../disk/lock.ts';
import type { SessionEntry } from '../../entry/session-entry.ts';
import { OpenBotError } from '../../errors.ts';
import { parseThreadSessionSuffix } from '../../key/thread.ts';
import { copyJson } from '../../store/json-value.ts';
import { ensureTranscript } from '../../transcript-file/create.ts';
import { readPendingArchives } from '../archive/pending-archive.ts';
import { finishArchives } from '../archive/retire-session.ts';
import { nameSession, startSession } from '../init/start-session.ts';
import { requireEntry } from '../locate-entry.ts';
import { type MomentParams, readMoment } from '../moment.ts';
import { openPlace, type PlaceParams, readOwnKey } from '../session-place.ts';

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
  params: PlaceParams &
    MomentParams & {
      sessionKey: string;
      /** Fails with STORE_CONFLICT when the key points to another session by now. */
      expectedSessionId?: string;
      /** Given, the new transcript is made at once, with its header. */
      cwd?: string;
      lock?: LockOptions;
    },
): Promise<ResetSessionResult> {
  const place = openPlace(params);
  const moment = readMoment(params);
  const asked = readOwnKey(place, params.sessionKey);
  const { key, previous, entry } = await place.store.updateMany(async (draft) => {
    const found = await requireEntry(draft, place, asked);
    assertExpected(found.entry.sessionId, params.expectedSessionId, asked);
    const fresh = await nameSession(place, moment, parseThreadSessionSuffix(found.key).threadId);
    draft.set(found.key, startSession(draft, found, fresh, moment.now));
    return { key: found.key, previous: found.entry, entry: draft.get(found.key)! };
  });
  const { sessionId, sessionFile } = entry;
  const { archived, error } = await finishArchives(place, key, readPendingArchives(entry), params.lock);
  if (params.cwd !== undefined) {
    await ensureTranscript({ path: sessionFile!, sessionId, cwd: params.cwd, now: () => moment.now });
  }
  return {
    sessionKey: key,
    sessionId,
    sessionEntry: copyJson((await place.store.get(key)) ?? entry) as SessionEntry,
    previousSessionEntry: copyJson(previous) as SessionEntry,
    archived,
    archiveError: error,
  };
}

/** Fails with STORE_CONFLICT when the key points to another session than the caller decided about. */
export function assertExpected(actual: string, expected: string | undefined, sessionKey: string): void {
  if (expected === undefined || expected === actual) return;
  throw new OpenBotError('STORE_CONFLICT', `${sessionKey} points to ${actual} by now, not to ${expected}`, {
    hint: 'Nothing was changed. Look at the session again and decide anew.',
  });
}
