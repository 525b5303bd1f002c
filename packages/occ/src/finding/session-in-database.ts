import { basename } from 'node:path';
import { AGENT_DATABASE_NAME } from '@openbot/sessions/layout';
import { readSessionDatabase } from '@openbot/sessions/openclaw-database';
import { quoteForShell } from '@openbot/sessions/terminal-text';
import { readFileStart } from '@openbot/sessions/transcript';
import { sessionNotFound } from '../errors.ts';
import { OWN_FOLDER_ENDING, readDatabasePlace } from '../layout/state-folder.ts';
import type { FoundSession } from '../storage/contract/found-session.ts';
import { compareByAge, type LocatedSession } from '../storage/contract/located-session.ts';
import { hasDatabase, locateDatabaseSessions } from '../storage/openclaw-sqlite/database-sessions.ts';
import { ambiguousName } from './ambiguous-name.ts';
import { openFound } from './open-found.ts';

const MAGIC = Buffer.from('SQLite format 3\0');

/** Whether a file is a database, by its name or its beginning. */
export function isDatabase(path: string): boolean {
  if (basename(path) === AGENT_DATABASE_NAME) return true;
  const bytes = Buffer.alloc(MAGIC.length);
  try {
    return readFileStart(path, bytes) === MAGIC.length && bytes.equals(MAGIC);
  } catch {
    return false;
  }
}

/** The session of that id; undefined where there is no database, or no lines of it in there. */
export function findInDatabase(
  path: string,
  agentId: string | null,
  sessionId: string,
): FoundSession | undefined {
  if (!hasDatabase(path)) return undefined;
  const located = locatePresent(path, agentId).find((session) => session.sessionId === sessionId);
  return located && openFound(located);
}

/** The session of a database that holds one alone. Of several none can be meant by the name of the database. */
export function findOnlySession(name: string, path: string): FoundSession {
  const place = readDatabasePlace(path);
  const sessions = locatePresent(path, place?.agentId ?? null);
  const [only] = sessions;
  if (only === undefined) throw sessionNotFound(name, `There are no sessions in ${path}`);
  const session = sessions.length === 1 ? openFound(only) : undefined;
  if (session !== undefined) return session;
  const whose =
    place === undefined
      ? `Name the one that you mean by this path, with its id: ${quoteForShell(path + OWN_FOLDER_ENDING)}/<id>.jsonl`
      : `Name the one that you mean by its id, with --agent ${place.agentId} --state-dir ${quoteForShell(place.stateFolder)}`;
  throw ambiguousName(name, sessions, `It is a database that holds ${sessions.length} sessions. ${whose}`);
}

function locatePresent(path: string, agentId: string | null): LocatedSession[] {
  const located = readSessionDatabase(path, (database) => locateDatabaseSessions(database, path, agentId));
  return (located ?? []).filter(({ missing }) => !missing).sort(compareByAge);
}
