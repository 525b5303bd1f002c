import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  compactSession,
  deleteSession,
  openFileSessionStore,
  pruneSessions,
  resetSession,
  type StoredSession,
} from '@openbot/sessions';
import type { SessionChanges } from '../contract.ts';
import { setFields } from '../set-fields.ts';
import { listBusy, whileIdle } from './in-use.ts';
import { keepEntry, keepRemoved } from './kept-entry.ts';
import { type FileKeeperPlace, locateTranscript } from './place.ts';
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
        const { sessionId, archived, previousSessionEntry } = await resetSession(named(session));
        await keepEntry(archived, session.key, previousSessionEntry);
        return { sessionId, archived };
      }),
    remove: (session) =>
      whileIdle(place, session, async () => {
        const entry = (await openFileSessionStore(storePath).get(session.key)) ?? session.entry;
        const { archived } = await deleteSession(named(session));
        return { archived: await keepRemoved(archived, session.key, entry, folder) };
      }),
    prune: async ({ maxAgeMs, maxEntries, dryRun }) => {
      const entries = new Map(
        (await openFileSessionStore(storePath).list()).map(({ key, entry }) => [key, entry]),
      );
      const busy = dryRun ? [] : await listBusy(place, entries.keys());
      const report = await pruneSessions({
        ...sessions,
        maxAgeMs,
        maxEntries,
        dryRun,
        activeKeys: busy,
      });
      const pruned = await Promise.all(
        report.pruned.map(async ({ sessionKey: key, archived, ...rest }) => ({
          key,
          ...rest,
          archived: dryRun ? archived : await keepRemoved(archived, key, entries.get(key), folder),
        })),
      );
      return {
        pruned,
        failed: report.failed.map(({ sessionKey: key, error }) => ({ key, error })),
        kept: report.kept,
      };
    },
    compact: (session, maxLines) =>
      whileIdle(place, session, async () => {
        const { path, sizeBytes: sizeBefore } = transcriptOf(session);
        const done = await compactSession({ ...named(session), maxLines });
        const { reason, kept, removed, archived } = done;
        const sizeAfter = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
        return { reason, kept, removed, archived, sizeBefore, sizeAfter };
      }),
    restore: (archive, key) =>
      restoreArchive({ ...sessions, folder }, archive, key, (session, body) =>
        whileIdle(place, session, body),
      ),
  };
}
