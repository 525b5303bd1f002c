import { basename, dirname, join, sep } from 'node:path';
import { isValidAgentId } from '@openbot/sessions/key';
import { AGENT_DATABASE_NAME, classifySessionFileName, STORE_FILE_NAME } from '@openbot/sessions/layout';
import { readSessionDatabase } from '@openbot/sessions/openclaw-database';
import { quoteForShell } from '@openbot/sessions/terminal-text';
import { readFileStart } from '@openbot/sessions/transcript';
import { statFile } from '../../layout/look-at-disk.ts';
import {
  databasePathOf,
  OWN_FOLDER_ENDING,
  readDatabasePath,
  resolveLayout,
} from '../../layout/state-folder.ts';
import type { TranscriptHead } from '../contract/finding.ts';
import type { FoundSession, SearchScope } from '../contract/found-session.ts';
import { compareByAge, type LocatedSession } from '../contract/located-session.ts';
import type { SessionContainer, SessionSource } from '../contract/source.ts';
import { describeGoneFile, idOfFile, locateFile } from '../files/file-session.ts';
import { locateOpenclawSessions } from '../openclaw-files/openclaw-sessions.ts';
import { hasDatabase, holdsSessions, locateDatabaseSessions } from '../openclaw-sqlite/database-sessions.ts';
import { locateAgentSessions } from './agent-sessions.ts';

/** Whether the folder of a file is one of OpenClaw's, judged by its path or its index. */
export function isInSessionsFolder(path: string): boolean {
  const folder = dirname(path);
  return agentOfFolder(folder) !== null || hasIndex(folder);
}

/** With its entry in the index beside it, and its agent where the folder is one of an agent. */
export const locateAtPath: SessionSource['locateAt'] = (path, { stats, head }, scope) =>
  findInFolder(path, scope) ?? locateFile('openclaw', path, stats, idOfFile(path, head));

function findInFolder(path: string, scope: SearchScope): LocatedSession | undefined {
  if (!isInSessionsFolder(path)) return findInConfiguredStore(path, scope);
  const folder = dirname(path);
  const index = join(folder, STORE_FILE_NAME);
  return locateOpenclawSessions(index, agentOfFolder(folder), scope).find((session) => session.path === path);
}

/** `session.store` of OpenClaw's configuration may name any folder. */
function findInConfiguredStore(path: string, scope: SearchScope): LocatedSession | undefined {
  const layout = resolveLayout({ ...scope, warn: undefined });
  return [layout.defaultAgentId, ...layout.agentIds]
    .filter((agentId) => dirname(layout.storePathOf(agentId)) === dirname(path))
    .flatMap((agentId) => locateAgentSessions({ layout, agentId, warn: scope.warn }))
    .find((session) => session.path === path);
}

function hasIndex(folder: string): boolean {
  return statFile(join(folder, STORE_FILE_NAME)) !== undefined;
}

function agentOfFolder(folder: string): string | null {
  const [agents, agentId, sessions] = folder.split(sep).slice(-3);
  return agents === 'agents' && sessions === 'sessions' && isValidAgentId(agentId) ? agentId! : null;
}

/** The session in a database whose transcript would have this path as a file. */
export function locateMoved(path: string): LocatedSession | undefined {
  const folder = dirname(path);
  const agentId = agentOfFolder(folder);
  const known = classifySessionFileName(basename(path));
  if (known.kind !== 'transcript') return undefined;
  if (agentId !== null) {
    const database = databasePathOf(dirname(dirname(dirname(folder))), agentId);
    return findInDatabase(database, agentId, known.sessionId);
  }
  if (!folder.endsWith(OWN_FOLDER_ENDING)) return undefined;
  const database = folder.slice(0, -OWN_FOLDER_ENDING.length);
  return isDatabase(database) ? findInDatabase(database, null, known.sessionId) : undefined;
}

function findInDatabase(path: string, agentId: string | null, sessionId: string): LocatedSession | undefined {
  if (!hasDatabase(path)) return undefined;
  return locatePresent(path, agentId).find((session) => session.sessionId === sessionId);
}

const MAGIC = Buffer.from('SQLite format 3\0');

/** Whether a file is a database, judged by its name or its first bytes. */
export function isDatabase(path: string): boolean {
  if (basename(path) === AGENT_DATABASE_NAME) return true;
  const bytes = Buffer.alloc(MAGIC.length);
  try {
    return readFileStart(path, bytes) === MAGIC.length && bytes.equals(MAGIC);
  } catch {
    return false;
  }
}

export function openDatabase(path: string): SessionContainer {
  const home = readDatabasePath(path);
  const sessions = locatePresent(path, home?.agentId ?? null);
  const how =
    home === undefined
      ? `Name the one that you mean by this path, with its id: ${quoteForShell(path + OWN_FOLDER_ENDING)}/<id>.jsonl`
      : `Name the one that you mean by its id, with --agent ${home.agentId} --state-dir ${quoteForShell(home.stateFolder)}`;
  return { sessions, advice: `It is a database that holds ${sessions.length} sessions. ${how}` };
}

function locatePresent(path: string, agentId: string | null): LocatedSession[] {
  const located = readSessionDatabase(path, (database) => locateDatabaseSessions(database, path, agentId));
  return (located ?? []).filter(({ missing }) => !missing).sort(compareByAge);
}

/** In the database of its agent, where that has one. */
export function describeGone(
  transcriptPath: string,
  head: TranscriptHead | undefined,
  scope: SearchScope,
): FoundSession & { readonly missing: true } {
  const home = homeOf(dirname(transcriptPath), scope);
  const sessionId = idOfFile(transcriptPath, head);
  const gone = {
    ...describeGoneFile('openclaw', transcriptPath, sessionId, head),
    agentId: home?.agentId ?? null,
  };
  if (home === undefined) return gone;
  if (holdsSessions(home.database)) return { ...gone, path: home.database, storage: 'sqlite' };
  return home.index === undefined ? gone : { ...gone, indexPath: home.index };
}

interface AgentHome {
  readonly agentId: string;
  readonly database: string;
  readonly index?: string;
}

/** By the path of the folder, else by the configuration of OpenClaw. */
function homeOf(folder: string, scope: SearchScope): AgentHome | undefined {
  const agentId = agentOfFolder(folder);
  if (agentId !== null) {
    return { agentId, database: databasePathOf(dirname(dirname(dirname(folder))), agentId) };
  }
  const layout = resolveLayout({ ...scope, warn: undefined });
  const configured = [layout.defaultAgentId, ...layout.agentIds].find(
    (id) => dirname(layout.storePathOf(id)) === folder,
  );
  if (configured === undefined) return undefined;
  return {
    agentId: configured,
    database: layout.databasePathOf(configured),
    index: layout.storePathOf(configured),
  };
}
