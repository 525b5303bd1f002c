import { statSync } from 'node:fs';
import type { StoredEntry, StoredSession } from '@openbot/sessions';
import {
  type DatabaseSession,
  listDatabaseSessions,
  type OpenclawDatabase,
  readSessionDatabase,
} from '@openbot/sessions/openclaw-database';
import { type LocatedSession, NO_ENTRIES } from '../contract/located-session.ts';

/** Whether the file exists. Whether it is a database is known only after opening it. */
export function hasDatabase(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOTDIR';
  }
}

/** Whether OpenClaw keeps the sessions of an agent in this database. True where it cannot be read. */
export function holdsSessions(path: string): boolean {
  if (!hasDatabase(path)) return false;
  try {
    return readSessionDatabase(path, () => true) ?? false;
  } catch {
    return true;
  }
}

/** The sessions of one database, each id once. Reads no transcript. */
export function locateDatabaseSessions(
  database: OpenclawDatabase,
  path: string,
  agentId: string | null,
): LocatedSession[] {
  const byId = new Map<string, DatabaseSession[]>();
  for (const row of listDatabaseSessions(database)) {
    const others = byId.get(row.sessionId);
    if (others === undefined) byId.set(row.sessionId, [row]);
    else others.push(row);
  }
  return [...byId.values()].map((rows) => locate(rows, path, agentId));
}

/** @param rows of one session: more than one where several keys lead to it */
function locate(rows: readonly DatabaseSession[], path: string, agentId: string | null): LocatedSession {
  const own = rows.find(({ hasTranscript, isCold }) => hasTranscript || isCold) ?? rows[0]!;
  const current = rows.filter(({ isCurrent }) => isCurrent);
  return {
    source: 'openclaw',
    agentId,
    sessionId: own.sessionId,
    stem: own.sessionId,
    path,
    storage: 'sqlite',
    updatedAt: own.updatedAt,
    sizeBytes: 0,
    missing: !own.hasTranscript && !own.isCold,
    cold: own.isCold,
    entries: current.length === 0 ? NO_ENTRIES : current.toSorted(compareByUse).map(toStored),
    formerKey: current.length === 0 ? own.sessionKey : undefined,
  };
}

function compareByUse(a: DatabaseSession, b: DatabaseSession): number {
  return usedAt(b) - usedAt(a);
}

function usedAt({ entry, updatedAt }: DatabaseSession): number {
  return Number.isFinite(entry?.updatedAt) ? entry!.updatedAt : updatedAt;
}

/** The key counts even if its entry cannot be read. */
function toStored({ sessionId, sessionKey, entry, updatedAt }: DatabaseSession): StoredSession {
  return { key: sessionKey, entry: entry ?? ({ sessionId, updatedAt } as StoredEntry) };
}
