import { lstatSync, readdirSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeLeftoverPath, type ProcessIdentity } from '@openbot/sessions/disk';
import { assertSessionId, type Environment, isSessionId } from '@openbot/sessions/layout';
import { isProcess } from '../registry/is-running.ts';
import { resolveLockFolder } from '../registry/session-lock.ts';
import { isMark } from './marked-processes.ts';

/** What is written down of a Claude Code for as long as anything of it may be left, for those who come after a crash. */
export interface RunNote {
  readonly sessionId: string;
  /** As `findRepoKey` gives it. */
  readonly repoKey: string;
  /** Who started it. */
  readonly runner: ProcessIdentity;
  /** Claude Code itself, once it is there. */
  readonly child?: ProcessIdentity;
  /** What all that it starts carries. */
  readonly mark: string;
  /** The mark of the run that started the runner. */
  readonly insideOf?: string;
}

const ENDING = '.run.json';
/** What is larger is none of ours. */
const LARGEST_BYTES = 64 * 1024;

/** Whole or not at all. There is no waiting for the disk: a power cut ends all that a note could be about. */
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

/** Takes away this note, and not that of a later run in the session. */
export function removeRunNote(
  { sessionId, mark }: Pick<RunNote, 'sessionId' | 'mark'>,
  env: Environment,
): void {
  const path = resolveNotePath(sessionId, env);
  if (readNote(path)?.mark === mark) removeFile(path);
}

/** All that can be read, in the order of their session ids. */
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
    // A pipe would be waited for.
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
    // It is gone, or cannot be taken away: its runner is dead one day, and nothing is found then.
  }
}
