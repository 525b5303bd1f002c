import { realpathSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { OpenBotError, parseAgentSessionKey } from '@openbot/sessions';
import { isValidAgentId } from '@openbot/sessions/key';
import { classifySessionFileName, isSessionId, STORE_FILE_NAME } from '@openbot/sessions/layout';
import { quoteForShell } from '@openbot/sessions/terminal-text';
import { readOriginalName } from '../backups/backup-names.ts';
import { sessionNotFound } from '../errors.ts';
import { expandPath, isFolder, statFile } from '../layout/look-at-disk.ts';
import { databasePathOf, OWN_FOLDER_ENDING, resolveLayout } from '../layout/state-folder.ts';
import { isClaudeFileName, resolveProjectsFolder } from '../storage/claude/claude-sessions.ts';
import type { FoundSession, SearchScope, SourceName } from '../storage/contract/found-session.ts';
import { type LocatedSession, NO_ENTRIES } from '../storage/contract/located-session.ts';
import { isLeftByKilledClone } from '../storage/files/killed-clones.ts';
import { readTranscriptHead, type TranscriptHead } from '../storage/files/transcript-head.ts';
import { locateAgentSessions } from '../storage/openclaw/agent-sessions.ts';
import { locateOpenclawSessions } from '../storage/openclaw-files/openclaw-sessions.ts';
import { isPiFileName, resolvePiFolder } from '../storage/pi/pi-sessions.ts';
import { adviseOnBackupBeside, cloneCommand } from './left-backup.ts';
import { openFound } from './open-found.ts';
import { findInDatabase, findOnlySession, isDatabase } from './session-in-database.ts';
import { demandedSource } from './source-choice.ts';

/** Whether a name is meant as a path. A label or a key may hold a separator too: then only a file makes it a path. */
export function isMeantAsPath(scope: SearchScope, name: string): boolean {
  if (parseAgentSessionKey(name) !== null) return false;
  if (/^(?:~|\.{0,2}[/\\])|[/\\]$|\.(?:jsonl|jsonl\.zst|sqlite)$/.test(name)) return true;
  return /[/\\]/.test(name) && statFile(expandPath(name, scope)) !== undefined;
}

/** The session whose transcript stands at a path, wherever that is. Its source is told from its place and content. */
export function findSessionAtPath(scope: SearchScope, name: string): FoundSession {
  const path = expandPath(name, scope);
  const stats = statFile(path);
  if (stats === undefined) {
    const moved = findMovedSession(path);
    if (moved !== undefined) {
      assertDemanded(scope, moved.path, moved.source);
      return moved;
    }
    const what = isFolder(path) ? `${path} is a folder` : `There is no file ${path}`;
    const left = adviseOnBackupBeside(path, basename(path, '.jsonl'));
    throw sessionNotFound(name, left ?? `${what}. Use 'occ list' to see available sessions`);
  }
  if (isDatabase(path)) return openOnlySession(scope, name, path);
  refuseOtherFiles(path);
  if (isLeftByKilledClone(path)) throw sessionNotFound(name, KILLED_CLONE);
  const head = readTranscriptHead(path);
  const source = tellSource(scope, path, head);
  if (source === undefined) throw unknownContent(path, head);
  assertDemanded(scope, path, source);
  const known = source === 'openclaw' ? findInFolder(scope, path) : undefined;
  const located: LocatedSession = known ?? {
    source,
    agentId: null,
    sessionId: idOf(path, source, head),
    stem: basename(path, '.jsonl'),
    path,
    updatedAt: stats.mtimeMs,
    sizeBytes: stats.size,
    missing: false,
    entries: NO_ENTRIES,
  };
  const session = openFound(located);
  if (session === undefined) throw unknownContent(path, head);
  return session;
}

const KILLED_CLONE =
  'It was left by a clone that was killed before it had its entry; the next edit, clone or restore of a session beside it removes it';

/** A database is no session, but where it holds one alone, that one is meant. */
function openOnlySession(scope: SearchScope, name: string, path: string): FoundSession {
  assertDemanded(scope, path, 'openclaw');
  return findOnlySession(name, path);
}

/** The session that would stand at a path if it were not in a database. */
export function findMovedSession(path: string): FoundSession | undefined {
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

/** What belongs to a session without being one. Its bytes are nobody's to clean. */
function refuseOtherFiles(path: string): void {
  const known = classifySessionFileName(basename(path));
  if (known.kind === 'backup') {
    throw notASession(path, 'a backup', `--backup ${known.number}`);
  }
  if (readOriginalName(basename(path)) !== undefined) {
    throw notASession(path, 'an original', '--original');
  }
  if (['trajectory', 'checkpoint', 'archive', 'lock', 'store', 'temp'].includes(known.kind)) {
    throw new OpenBotError('SESSION_UNSUPPORTED', `${path} is not a session (${known.kind})`, {
      hint: "Use 'occ list' to see available sessions",
    });
  }
}

function notASession(path: string, what: string, flag: string): OpenBotError {
  const session = pathOfBackedUp(path);
  // Nothing may follow a command without a space: it is pasted.
  const restore = session && `To go back to it: occ restore ${quoteForShell(session)} ${flag} —`;
  return new OpenBotError('SESSION_UNSUPPORTED', `${path} is ${what}, not a session`, {
    hint: `${restore ?? 'Its session is gone.'} To make a new session of it: ${cloneCommand(path)}`,
  });
}

/** The path of the session finds it from everywhere. Its backups are, or were, in one of two folders. */
function pathOfBackedUp(path: string): string | undefined {
  const name = basename(path).replace(/\.backup\.\d+(?=\.jsonl$)|\.original(?=\.jsonl\.zst$)|\.zst$/g, '');
  return [dirname(path), dirname(dirname(path))]
    .map((folder) => join(folder, name))
    .find((candidate) => statFile(candidate) !== undefined || findMovedSession(candidate) !== undefined);
}

/**
 * OpenClaw and pi write the same lines: between them the place decides, and OpenClaw where that does not tell. A file
 * that says nothing of itself, since it is empty or damaged, is a session only where sessions are kept.
 */
export function tellSource(
  scope: SearchScope,
  path: string,
  head: TranscriptHead | undefined,
): SourceName | undefined {
  const isSilent = head?.dialect === undefined;
  const folder = dirname(path);
  if (head?.dialect === 'claude-code') return 'claude';
  if (isSilent && isBelow(path, resolveProjectsFolder(scope))) return 'claude';
  if (agentOfFolder(folder) !== null || hasIndex(folder)) return 'openclaw';
  if (isBelow(path, resolvePiFolder(scope).folder) || /^--.*--$/.test(basename(folder))) return 'pi';
  if (isSilent) return undefined;
  return scope.source === 'pi' || isPiFileName(basename(path)) ? 'pi' : 'openclaw';
}

/** With its entry in the index beside it, and its agent where the folder is laid out like one of an agent. */
function findInFolder(scope: SearchScope, path: string): LocatedSession | undefined {
  const folder = dirname(path);
  const agentId = agentOfFolder(folder);
  if (agentId === null && !hasIndex(folder)) return findInConfiguredStore(scope, path);
  const index = join(folder, STORE_FILE_NAME);
  return locateOpenclawSessions(index, agentId, scope.warn).find((session) => session.path === path);
}

/** `session.store` of OpenClaw may lead to a folder of any name. */
function findInConfiguredStore(scope: SearchScope, path: string): LocatedSession | undefined {
  const layout = resolveLayout({ ...scope, warn: undefined });
  return [layout.defaultAgentId, ...layout.agentIds]
    .filter((agentId) => dirname(layout.storePathOf(agentId)) === dirname(path))
    .flatMap((agentId) => locateAgentSessions({ layout, agentId, warn: scope.warn }))
    .find((session) => session.path === path);
}

function hasIndex(folder: string): boolean {
  return statFile(join(folder, STORE_FILE_NAME)) !== undefined;
}

export function agentOfFolder(folder: string): string | null {
  const [agents, agentId, sessions] = folder.split(sep).slice(-3);
  return agents === 'agents' && sessions === 'sessions' && isValidAgentId(agentId) ? agentId! : null;
}

/** Claude Code goes by the file's name, the others by the header. */
function idOf(path: string, source: SourceName, head: TranscriptHead | undefined): string {
  const known = classifySessionFileName(basename(path));
  const named = 'sessionId' in known && isSessionId(known.sessionId) ? known.sessionId : undefined;
  const ids = source === 'claude' && isClaudeFileName(basename(path)) ? [named] : [head?.sessionId, named];
  return ids.find((id) => id !== undefined) ?? basename(path, '.jsonl');
}

function isBelow(path: string, folder: string): boolean {
  try {
    // The file itself may be gone.
    const real =
      statFile(path) === undefined ? join(realpathSync(dirname(path)), basename(path)) : realpathSync(path);
    return real.startsWith(realpathSync(folder) + sep);
  } catch {
    return false;
  }
}

function unknownContent(path: string, head: TranscriptHead | undefined): OpenBotError {
  const why = head === undefined ? 'cannot be read' : 'is no transcript of OpenClaw, pi or Claude Code';
  return new OpenBotError('SESSION_UNSUPPORTED', `${path} ${why}`, {
    hint: "Use 'occ list' to see available sessions",
  });
}

export function assertDemanded(scope: SearchScope, path: string, source: SourceName): void {
  const demanded = demandedSource(scope);
  if (demanded !== undefined && demanded !== source) throw otherSource(path, source, demanded);
}

function otherSource(path: string, source: SourceName, demanded: SourceName): OpenBotError {
  return new OpenBotError('USAGE', `${path} is a session of ${source}, not of ${demanded}`, {
    hint: `Leave out what asks for ${demanded}, or name another session`,
  });
}
