import { basename, dirname, join } from 'node:path';
import { OpenBotError } from '@openbot/sessions';
import { classifySessionFileName } from '@openbot/sessions/layout';
import { backupFolderOf, readBackupName, readOriginalName } from '../backups/backup-names.ts';
import { expandPath, statFile } from '../layout/look-at-disk.ts';
import { databasePathOf, resolveLayout } from '../layout/state-folder.ts';
import type { FoundSession, SearchScope } from '../storage/contract/found-session.ts';
import type { TranscriptHead } from '../storage/files/transcript-head.ts';
import { holdsSessions } from '../storage/openclaw-sqlite/database-sessions.ts';
import {
  agentOfFolder,
  assertDemanded,
  findMovedSession,
  findSessionAtPath,
  isMeantAsPath,
  tellSource,
} from './session-at-path.ts';

/** A state of a session that was kept: one of its backups, or its original. */
export interface KeptFile {
  readonly path: string;
  /** Compressed, as the original is. */
  readonly isPacked: boolean;
  /** Where the transcript of the session is, or was. */
  readonly transcriptPath: string;
}

/** The backup or original that a name means by its path; undefined for everything else. */
export function findKeptFile(scope: SearchScope, name: string): KeptFile | undefined {
  if (!isMeantAsPath(scope, name)) return undefined;
  const path = expandPath(name, scope);
  const packed = readOriginalName(basename(path));
  const stem = packed ?? readBackupName(basename(path))?.stem;
  if (stem === undefined || statFile(path) === undefined) return undefined;
  return {
    path,
    isPacked: packed !== undefined,
    transcriptPath: join(sessionsFolderOf(path), `${stem}.jsonl`),
  };
}

/** Earlier versions kept backups beside the sessions. */
export function sessionsFolderOf(keptPath: string): string {
  const folder = dirname(keptPath);
  return folder === backupFolderOf(dirname(folder)) ? dirname(folder) : folder;
}

/**
 * The session that a kept state is of. Where that is gone, what it would be if it were there: in the database where its
 * agent has one.
 */
export function sessionOfKept(
  scope: SearchScope,
  { path, transcriptPath }: KeptFile,
  head: TranscriptHead | undefined,
): FoundSession {
  const isThere = statFile(transcriptPath) !== undefined || findMovedSession(transcriptPath) !== undefined;
  if (isThere) return findSessionAtPath(scope, transcriptPath);
  const source = tellSource(scope, transcriptPath, head);
  if (source === undefined) {
    throw new OpenBotError('SESSION_UNSUPPORTED', `${path} is no transcript of OpenClaw, pi or Claude Code`, {
      hint: 'Nothing was changed. It is empty or damaged; occ restore --list shows what other backups there are',
    });
  }
  assertDemanded(scope, path, source);
  const known = classifySessionFileName(basename(transcriptPath));
  const named = 'sessionId' in known ? known.sessionId : undefined;
  const home = source === 'openclaw' ? homeOf(scope, dirname(transcriptPath)) : undefined;
  const found = {
    sessionId:
      (source === 'claude' ? named : (head?.sessionId ?? named)) ?? basename(transcriptPath, '.jsonl'),
    agentId: home?.agentId ?? null,
    source,
    cwd: head?.cwd ?? null,
    updatedAt: 0,
    sizeBytes: 0,
    missing: true,
  } as const;
  if (home !== undefined && holdsSessions(home.database)) {
    return { ...found, path: home.database, storage: 'sqlite' };
  }
  return { ...found, path: transcriptPath, ...(home?.index === undefined ? {} : { indexPath: home.index }) };
}

interface AgentHome {
  readonly agentId: string;
  readonly database: string;
  readonly index?: string;
}

/** By the folder, wherever it is, else by the configuration of OpenClaw. */
function homeOf(scope: SearchScope, folder: string): AgentHome | undefined {
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
