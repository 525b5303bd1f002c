import { randomUUID } from 'node:crypto';
import { ownIdentity } from '@openbot/sessions/disk';
import type { Environment } from '@openbot/sessions/layout';
import { findRepoKey } from '../repo/resolve-repo.ts';
import { type ClaudeCommand, ClaudeProcess } from './claude-process.ts';
import { readOwnMark } from './marked-processes.ts';
import { type RunNote, removeRunNote, writeRunNote } from './run-note.ts';

export interface StartOptions {
  readonly sessionId: string;
  readonly repoPath: string;
  readonly env: Environment;
  /** Called if the note cannot be written; Claude Code is started all the same. */
  readonly warn: (message: string) => void;
}

/**
 * Starts Claude Code with a note of it beside the lock of its session. The caller holds the lock, and removes the note when
 * no process is left. The note is written before the start, so that a crash at any time leaves no unknown process.
 */
export function startClaude(command: Omit<ClaudeCommand, 'mark'>, options: StartOptions): ClaudeProcess {
  const { sessionId, repoPath, env, warn } = options;
  const note: RunNote = {
    sessionId,
    repoKey: findRepoKey(repoPath),
    runner: ownIdentity(),
    mark: randomUUID(),
    insideOf: readOwnMark(env),
  };
  const isWritten = tryToWrite(note, env, warn);
  try {
    const claude = new ClaudeProcess({ ...command, mark: note.mark });
    if (isWritten && claude.identity !== undefined) {
      tryToWrite({ ...note, child: claude.identity }, env, warn);
    }
    return claude;
  } catch (error) {
    removeRunNote(note, env);
    throw error;
  }
}

function tryToWrite(note: RunNote, env: Environment, warn: (message: string) => void): boolean {
  try {
    writeRunNote(note, env);
    return true;
  } catch (error) {
    const why = (error as Error).message;
    warn(`The note of the run could not be written; after a crash its processes would not be found: ${why}`);
    return false;
  }
}
