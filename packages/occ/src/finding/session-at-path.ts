import { basename } from 'node:path';
import { OpenBotError, parseAgentSessionKey } from '@openbot/sessions';
import { classifySessionFileName } from '@openbot/sessions/layout';
import { quoteForShell } from '@openbot/sessions/terminal-text';
import { type KeptFile, readKeptPath } from '../backups/backup-names.ts';
import { SessionNotFoundError } from '../errors.ts';
import { expandPath, isFolder, statFile } from '../layout/look-at-disk.ts';
import { SOURCES, sourceOf, storageOf } from '../storage/all.ts';
import type { TranscriptHead } from '../storage/contract/finding.ts';
import type { FoundSession, SearchScope, SourceName } from '../storage/contract/found-session.ts';
import type { LocatedSession } from '../storage/contract/located-session.ts';
import { RECOGNITIONS, type SessionSource } from '../storage/contract/source.ts';
import { isLeftByKilledClone } from '../storage/files/clones/killed-clones.ts';
import { readTranscriptHead } from '../storage/files/transcript-head.ts';
import { ambiguousName } from './ambiguous-name.ts';
import { adviseOnBackupBeside, cloneCommand } from './left-backup.ts';
import { demandedSource } from './source-choice.ts';

/** Whether a name is a path. Labels and keys may contain a separator too: then it is one where the file exists. */
export function isMeantAsPath(scope: SearchScope, name: string): boolean {
  if (parseAgentSessionKey(name) !== null) return false;
  if (/^(?:~|\.{0,2}[/\\])|[/\\]$|\.(?:jsonl|jsonl\.zst|sqlite)$/.test(name)) return true;
  return /[/\\]/.test(name) && statFile(expandPath(name, scope)) !== undefined;
}

/** The session whose transcript is at a path, in any folder. Path and content decide which source it is of. */
export function findSessionAtPath(scope: SearchScope, name: string): FoundSession {
  const path = expandPath(name, scope);
  const stats = statFile(path);
  if (stats === undefined) return findMoved(scope, name, path);
  const container = SOURCES.find((source) => source.isContainer?.(path));
  if (container !== undefined) return findOnlySession(scope, name, path, container);
  refuseOtherFiles(path);
  if (isLeftByKilledClone(path)) throw new SessionNotFoundError(name, KILLED_CLONE);
  const head = readTranscriptHead(path);
  const source = recogniseSource(scope, path, head);
  if (source === undefined) throw unknownContent(path, head);
  assertDemanded(scope, path, source.name);
  const session = describe(source.locateAt(path, { stats, head }, scope));
  if (session === undefined) throw unknownContent(path, head);
  return session;
}

const KILLED_CLONE =
  'A clone that was killed left it. The next edit, clone or restore of a session in the same folder removes it';

function describe(located: LocatedSession): FoundSession | undefined {
  return storageOf(located).describe(located);
}

function findMoved(scope: SearchScope, name: string, path: string): FoundSession {
  const moved = findMovedSession(path);
  if (moved !== undefined) {
    assertDemanded(scope, moved.path, moved.source);
    return moved;
  }
  const what = isFolder(path) ? `${path} is a folder` : `There is no file ${path}`;
  const left = adviseOnBackupBeside(path, basename(path, '.jsonl'));
  throw new SessionNotFoundError(name, left ?? `${what}. Use 'occ list' to see available sessions`);
}

/** The session that would be at a path if its program had not moved it into a database. */
function findMovedSession(path: string): FoundSession | undefined {
  for (const source of SOURCES) {
    const moved = source.locateMoved?.(path);
    if (moved !== undefined) return describe(moved);
  }
  return undefined;
}

/** The session of a transcript, in its file or in a database; undefined where it is in neither. */
export function findSessionOfTranscript(
  scope: SearchScope,
  transcriptPath: string,
): FoundSession | undefined {
  return isPresent(transcriptPath) ? findSessionAtPath(scope, transcriptPath) : undefined;
}

function isPresent(transcriptPath: string): boolean {
  return statFile(transcriptPath) !== undefined || findMovedSession(transcriptPath) !== undefined;
}

/** A file that holds many sessions is the name of none, but it can name the only one. */
function findOnlySession(
  scope: SearchScope,
  name: string,
  path: string,
  source: SessionSource,
): FoundSession {
  assertDemanded(scope, path, source.name);
  const { sessions, advice } = source.openContainer!(path);
  const [only] = sessions;
  if (only === undefined) throw new SessionNotFoundError(name, `There are no sessions in ${path}`);
  const session = sessions.length === 1 ? describe(only) : undefined;
  if (session === undefined) throw ambiguousName(name, sessions, advice);
  return session;
}

/** Files that belong to a session without being one. They are never cleaned. */
function refuseOtherFiles(path: string): void {
  const kept = readKeptPath(path);
  if (kept !== undefined) throw notASession(kept);
  const { kind } = classifySessionFileName(basename(path));
  if (['backup', 'trajectory', 'checkpoint', 'archive', 'lock', 'store', 'temp'].includes(kind)) {
    throw new OpenBotError('SESSION_UNSUPPORTED', `${path} is not a session (${kind})`, {
      hint: "Use 'occ list' to see available sessions",
    });
  }
}

function notASession({ path, number, transcriptPath }: KeptFile): OpenBotError {
  const [what, flag] =
    number === undefined ? ['an original', '--original'] : ['a backup', `--backup ${number}`];
  // A command is pasted: nothing may follow it without a space.
  const restore = isPresent(transcriptPath)
    ? `To restore it: occ restore ${quoteForShell(transcriptPath)} ${flag} —`
    : 'Its session no longer exists.';
  return new OpenBotError('SESSION_UNSUPPORTED', `${path} is ${what}, not a session`, {
    hint: `${restore} To make a new session from it: ${cloneCommand(path)}`,
  });
}

/** The source that recognises the transcript with the most certainty. */
export function recogniseSource(
  scope: SearchScope,
  path: string,
  head: TranscriptHead | undefined,
): SessionSource | undefined {
  const recognised = SOURCES.map((source) => ({ source, by: source.recognise(path, head, scope) }));
  for (const recognition of RECOGNITIONS) {
    const found = recognised.find(({ by }) => by === recognition);
    if (found !== undefined) return found.source;
  }
  return undefined;
}

function unknownContent(path: string, head: TranscriptHead | undefined): OpenBotError {
  const why = head === undefined ? 'cannot be read' : 'is no transcript of OpenClaw, pi or Claude Code';
  return new OpenBotError('SESSION_UNSUPPORTED', `${path} ${why}`, {
    hint: "Use 'occ list' to see available sessions",
  });
}

export function assertDemanded(scope: SearchScope, path: string, source: SourceName): void {
  const demanded = demandedSource(scope);
  if (demanded === undefined || demanded.source.name === source) return;
  throw new OpenBotError(
    'USAGE',
    `${path} is a session of ${sourceOf(source).title}, but ${demanded.flag} selects ${demanded.source.title}`,
    { hint: `Leave out ${demanded.flag}, or name another session` },
  );
}
