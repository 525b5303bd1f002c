import { type OpenclawDatabase, readOpenclawDatabase } from '@openbot/sessions/openclaw-database';
import { hasDatabase, locateDatabaseSessions } from './database-sessions.ts';
import { openDatabaseTranscript } from './database-transcript.ts';
import { compareByAge, type LocatedSession } from './located-session.ts';
import { locateOpenclawSessions } from './openclaw-sessions.ts';
import { databasePathOf, sessionsFolderOf } from './state-folder.ts';

/**
 * The sessions of an agent, in files and in its database, each once. Where both have one the database counts: it is all
 * that a current OpenClaw reads. A database that cannot be read is an error, as an index is.
 * @param opened how many of the newest the caller will open: those in the database are then opened at once with it
 */
export function locateAgentSessions(stateFolder: string, agentId: string, opened = 0): LocatedSession[] {
  const inFiles = locateOpenclawSessions(sessionsFolderOf(stateFolder, agentId), agentId);
  const path = databasePathOf(stateFolder, agentId);
  if (!hasDatabase(path)) return inFiles;
  return readOpenclawDatabase(path, (database) =>
    openNewest(database, joinEras(inFiles, locateDatabaseSessions(database, path, agentId)), opened),
  );
}

/** A session of which the database has no lines is the file's, if there is one. */
function joinEras(
  inFiles: readonly LocatedSession[],
  inDatabase: readonly LocatedSession[],
): LocatedSession[] {
  if (inFiles.length === 0) return [...inDatabase];
  const present = new Set(inFiles.filter(({ missing }) => !missing).map(({ sessionId }) => sessionId));
  const kept = inDatabase.filter(({ missing, sessionId }) => !missing || !present.has(sessionId));
  const known = new Set(kept.map(({ sessionId }) => sessionId));
  return [...kept, ...inFiles.filter(({ sessionId }) => !known.has(sessionId))];
}

function openNewest(
  database: OpenclawDatabase,
  sessions: readonly LocatedSession[],
  count: number,
): LocatedSession[] {
  if (count === 0) return [...sessions];
  return sessions
    .toSorted(compareByAge)
    .map((session, at) =>
      at < count && session.storage === 'sqlite' && !session.missing
        ? { ...session, opened: openDatabaseTranscript(database, session) }
        : session,
    );
}
