import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  compactSession,
  deleteSession,
  openFileSessionStore,
  resetSession,
  type StoredSession,
} from '@openbot/sessions';
import type { SessionChanges } from '../contract.ts';
import { setFields } from '../set-fields.ts';
import { whileIdle } from './in-use.ts';
import { keepingEntry } from './keep-entries.ts';
import { type FileKeeperPlace, locateTranscript } from './place.ts';
import { pruneFiles } from './prune-files.ts';
import { restoreArchive } from './restore-archive.ts';

/** A process that only reads or appends a line is done before this. */
const LOCK = { timeoutMs: 1000 };

export function openFileChanges(place: FileKeeperPlace): SessionChanges {
  const { storePath, agentId, mainKey } = place;
  const folder = dirname(storePath);
  const sessions = { storePath, agentId, mainKey };
  const transcriptOf = (session: StoredSession) => locateTranscript(folder, session);
  const named = ({ key, entry }: StoredSession) => ({
    ...sessions,
    sessionKey: key,
    expectedSessionId: entry.sessionId,
    lock: LOCK,
  });
  return {
    set: ({ key }, fields) => setFields(openFileSessionStore(storePath), key, fields),
    reset: (session) =>
      whileIdle(place, session, async () => {
        const reset = (now: number) => resetSession({ ...named(session), now: () => now });
        const { sessionId, archived } = await keepingEntry(sessions, 'reset', session, reset, 'beside');
        return { sessionId, archived };
      }),
    remove: (session, { keepsTranscript: keepTranscript = false } = {}) =>
      whileIdle(place, session, async () => {
        const remove = (now: number) => deleteSession({ ...named(session), keepTranscript, now: () => now });
        const { archived } = await keepingEntry(sessions, 'deleted', session, remove);
        return { archived };
      }),
    prune: (limits) => pruneFiles(place, limits),
    compact: (session, maxLines) =>
      whileIdle(place, session, async () => {
        const { path, sizeBytes: sizeBefore } = transcriptOf(session);
        const done = await compactSession({ ...named(session), maxLines });
        const { reason, kept, removed, archived } = done;
        const sizeAfter = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
        return { reason, kept, removed, archived, sizeBefore, sizeAfter };
      }),
    restore: (archive, key) =>
      restoreArchive({ ...sessions, folder, lock: LOCK }, archive, key, (session, body) =>
        whileIdle(place, session, body),
      ),
  };
}
