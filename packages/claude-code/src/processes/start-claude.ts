import { randomUUID } from 'node:crypto';
import { ownIdentity } from '@openbot/sessions/disk';
import { findRepoKey } from '../repo/resolve-repo.ts';
import { type ClaudeCommand, ClaudeProcess } from './claude-process.ts';
import { readOuterMark } from '../queue/nested-run.ts';
import { type RunNote, removeRunNote, writeRunNote } from './run-note.ts';
import type { RunPlace } from '../run-contract/run-scope.ts';

/**
 * Starts Claude Code with a note of it beside the lock of its session, which whoever has the lock takes away when nothing
 * is left. The note is there before Claude Code is: a crash at any time leaves nothing unknown.
 * @param warn is told where the note cannot be written; the run goes on
 */
export function startNotedClaude(
  command: Omit<ClaudeCommand, 'mark'>,
  { sessionId, place }: { readonly sessionId: string; readonly place: RunPlace },
  warn: (message: string) => void,
): ClaudeProcess {
  const { repo, env } = place;
  const insideOf = readOuterMark(env);
  const note: RunNote = {
    sessionId,
    repoKey: findRepoKey(repo.path),
    runner: ownIdentity(),
    mark: randomUUID(),
    insideOf,
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

function tryToWrite(note: RunNote, env: RunPlace['env'], warn: (message: string) => void): boolean {
  try {
    writeRunNote(note, env);
    return true;
  } catch (error) {
    const why = (error as Error).message;
    warn(`What is started could not be written down; after a crash it would not be found: ${why}`);
    return false;
  }
}
