import { lstatSync, readdirSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeLeftoverPath, type ProcessIdentity } from '@openbot/sessions/disk';
import { assertSessionId, type Environment, isSessionId } from '@openbot/sessions/layout';
import { isProcess } from '../registry/is-running.ts';
import { resolveLockFolder } from '../registry/session-lock.ts';
import { isMark } from './marked-processes.ts';

/** A record of a Claude Code, kept while any of its processes may be left, for the runs after a crash. */
export interface RunNote {
  readonly sessionId: string;
  /** The result of `findRepoKey`. */
  readonly repoKey: string;
  /** The process that started it. */
  readonly runner: ProcessIdentity;
  /** Claude Code, once it is started. */
  readonly child?: ProcessIdentity;
  /** In the environment of all processes that it starts. */
  readonly mark: string;
  /** The mark of the run that started the runner. */
  readonly insideOf?: string;
}

const ENDING = '.run.json';
/** A larger file is no note. */
const LARGEST_BYTES = 64 * 1024;

/** Atomic, and not flushed to the disk: after a power cut there are no processes to find. */
export function writeRunNote(note: RunNote, env: Environment): void {
  const path = resolveNotePath(note.sessionId, env);
  const temp = makeLeftoverPath(path, 'tmp');
  try {
    writeFileSync(temp, `${JSON.stringify(note)}\n`, { flag: 'wx', mode: 0o600 });
    renameSync(temp, path);
  } catch (error) {
    removeFile(temp);
    throw error;
  }
}

/** Removes this note, but not that of a later run in the session. */
export function removeRunNote(
  { sessionId, mark }: Pick<RunNote, 'sessionId' | 'mark'>,
  env: Environment,
): void {
  const path = resolveNotePath(sessionId, env);
  if (readNote(path)?.mark === mark) removeFile(path);
}

/** All readable notes, in the order of their session ids. */
export function readRunNotes(env: Environment): RunNote[] {
  const folder = resolveLockFolder(env);
  return listNames(folder).flatMap((name) => {
    const note = readNote(join(folder, name));
    return note === undefined || nameNote(note.sessionId) !== name ? [] : [note];
  });
}

function resolveNotePath(sessionId: string, env: Environment): string {
  return join(resolveLockFolder(env), nameNote(assertSessionId(sessionId)));
}

function nameNote(sessionId: string): string {
  return `session-${sessionId}${ENDING}`;
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(ENDING))
      .sort();
  } catch {
    return [];
  }
}

function readNote(path: string): RunNote | undefined {
  try {
    const stat = lstatSync(path);
    // Reading a pipe would block.
    if (!stat.isFile() || stat.size > LARGEST_BYTES) return undefined;
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isNote(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isNote(value: unknown): value is RunNote {
  if (typeof value !== 'object' || value === null) return false;
  const { sessionId, repoKey, runner, child, mark, insideOf } = value as Record<keyof RunNote, unknown>;
  return (
    typeof sessionId === 'string' &&
    isSessionId(sessionId) &&
    typeof repoKey === 'string' &&
    isProcess(runner) &&
    (child === undefined || isProcess(child)) &&
    typeof mark === 'string' &&
    isMark(mark) &&
    (insideOf === undefined || typeof insideOf === 'string')
  );
}

function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It is gone, or cannot be removed: once its runner is dead, a search for its processes finds none.
  }
}
