import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { lookIntoSessionStore } from '@openbot/sessions';
import type { SessionKeeper } from '../contract.ts';
import { makeFileRow } from '../openclaw-list/rows.ts';
import { listArchives } from './archives.ts';
import { type FileKeeperPlace, locateTranscript } from './place.ts';

/** A `sessions.json`, with the transcripts beside it. */
export function openFileKeeper(place: FileKeeperPlace): SessionKeeper {
  const { agentId, storePath } = place;
  const folder = dirname(storePath);
  return {
    agentId,
    path: storePath,
    keptIn: 'a file',
    exists: statSync(storePath, { throwIfNoEntry: false }) !== undefined,
    takesTurns: true,
    list: () => lookIntoSessionStore(storePath, ['skillsSnapshot', 'systemPromptReport']) ?? [],
    read: async (key) => lookIntoSessionStore(storePath)?.find((session) => session.key === key)?.entry,
    transcriptOf: (session) => locateTranscript(folder, session),
    userOf: async (session) => (await import('./in-use.ts')).findUser(place, session),
    listArchives: (sessionId) => listArchives(folder, sessionId),
    toRow: (session, models, now) => makeFileRow(session, agentId, models, now),
    openChanges: async (options) =>
      (await import('./change-files.ts')).openFileChanges({ ...place, ...options }),
  };
}
