import { statSync } from 'node:fs';
import { join } from 'node:path';
import { OpenBotError, parseAgentSessionKey } from '@openbot/sessions';
import type { OpenclawLayout } from '@openbot/sessions/layout';
import { type OpenclawDatabase, readSessionDatabase } from '@openbot/sessions/openclaw-database';
import type { SearchScope } from '../contract/found-session.ts';
import { compareByAge, type LocatedSession } from '../contract/located-session.ts';
import { locateOpenclawSessions } from '../openclaw-files/openclaw-sessions.ts';
import { hasDatabase, locateDatabaseSessions } from '../openclaw-sqlite/database-sessions.ts';
import { openDatabaseTranscript } from '../openclaw-sqlite/database-transcript.ts';

interface AgentSearch extends Pick<SearchScope, 'warn'> {
  readonly layout: OpenclawLayout;
  readonly agentId: string;
  /** How many of the newest the caller will open. Those in the database are opened while it is open. */
  readonly opened?: number;
}

/**
 * The sessions of an agent, in files and in its database, each once. Where both have one the database counts: a current
 * OpenClaw reads nothing else. If the database cannot be read, it warns and returns the files.
 */
export function locateAgentSessions({ layout, agentId, opened = 0, warn }: AgentSearch): LocatedSession[] {
  const inFiles = locateInStore({ layout, agentId, opened, warn });
  const path = layout.databasePathOf(agentId);
  if (!hasDatabase(path)) return inFiles;
  try {
    const located = readSessionDatabase(path, (database) =>
      openNewest(
        database,
        joinStorages(inFiles, ofAgent(layout, agentId, locateDatabaseSessions(database, path, agentId))),
        opened,
      ),
    );
    if (located === undefined) warnOfEmptyFile(path, warn);
    return located ?? inFiles;
  } catch (error) {
    if (!(error instanceof OpenBotError) || error.code !== 'DATABASE_UNREADABLE') throw error;
    warn?.(error);
    return inFiles;
  }
}

function locateInStore({ layout, agentId, opened, warn }: AgentSearch): LocatedSession[] {
  const ownFolder = join(layout.stateDir, 'agents', agentId, 'sessions');
  const located = locateOpenclawSessions(layout.storePathOf(agentId), agentId, { warn, ownFolder, opened });
  return ofAgent(layout, agentId, located);
}

/** The sessions of one agent in a store that agents share. Sessions without a key belong to the default agent. */
function ofAgent(
  { isShared, defaultAgentId }: OpenclawLayout,
  agentId: string,
  located: LocatedSession[],
): LocatedSession[] {
  if (!isShared) return located;
  return located.filter(({ storage, entries: [entry], formerKey }) => {
    const key = entry?.key ?? formerKey;
    const owner = key === undefined ? undefined : parseAgentSessionKey(key)?.agentId;
    // Keys without an agent in a database belong to its owner.
    return (owner ?? (storage === 'sqlite' ? agentId : defaultAgentId)) === agentId;
  });
}

/** OpenClaw creates its tables at once, so an empty file has lost its sessions. */
function warnOfEmptyFile(path: string, warn: SearchScope['warn']): void {
  if (warn === undefined || statSync(path, { throwIfNoEntry: false })?.size !== 0) return;
  warn(
    new OpenBotError('DATABASE_UNREADABLE', `The database ${path} is empty`, {
      hint: 'If OpenClaw kept sessions in it, restore a copy of the file.',
    }),
  );
}

/** Where the database has no lines of a session, its file counts. */
function joinStorages(
  inFiles: readonly LocatedSession[],
  inDatabase: readonly LocatedSession[],
): LocatedSession[] {
  if (inFiles.length === 0) return [...inDatabase];
  const present = new Set(inFiles.filter(({ missing }) => !missing).map(({ sessionId }) => sessionId));
  const kept = inDatabase.filter(({ missing, sessionId }) => !missing || !present.has(sessionId));
  const known = new Set(kept.map(({ sessionId }) => sessionId));
  const rest = inFiles.filter(({ sessionId }) => !known.has(sessionId));
  return [...kept, ...rest.map((session) => ({ ...session, isOutdated: true }))];
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
