import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { OpenBotError } from '@openbot/sessions';
import {
  acquireLock,
  describeOpenClaude,
  findOpenClaude,
  type HeldLock,
  inspectLock,
} from '@openbot/sessions/disk';
import type { Environment } from '@openbot/sessions/layout';
import { resolveLockFolder, resolveSessionLock } from '../registry/session-lock.ts';
import { resolveClaudeFolder } from '../repo/projects-folder.ts';
import { findRepoKey } from '../repo/resolve-repo.ts';

/** The locks of one repository with all its worktrees. */
export interface RepoLocks {
  readonly running: string;
  readonly queued: string;
  /** Held for a moment to change which run works and which one waits. */
  readonly door: string;
}

export function resolveRepoLocks(env: Environment, repoPath: string): RepoLocks {
  const name = createHash('sha256').update(findRepoKey(repoPath)).digest('hex').slice(0, 32);
  const path = (part: string) => join(resolveLockFolder(env), `repo-${name}.${part}.lock`);
  return { running: path('running'), queued: path('queued'), door: path('door') };
}

/**
 * Of two runs in one session, one would lose its turns.
 * @throws OpenBotError SESSION_BUSY while another run has the session
 */
export async function lockSession(sessionId: string, env: Environment): Promise<HeldLock> {
  const path = resolveSessionLock(sessionId, env);
  const lock = await tryLock(path);
  if (lock !== undefined) return lock;
  const holder = inspectLock(path)?.description ?? 'another run';
  throw new OpenBotError('SESSION_BUSY', `Session ${sessionId} is in use: ${holder}`, {
    hint: 'Wait for the end of that run, or start a fresh session.',
  });
}

/**
 * A Claude Code that has the session open continues from its memory, and turns of this run would be lost.
 * @throws OpenBotError SESSION_OPEN
 */
export function assertNotOpen(sessionId: string, env: Environment): void {
  const open = findOpenClaude(resolveClaudeFolder(env), sessionId);
  if (open === undefined) return;
  throw new OpenBotError(
    'SESSION_OPEN',
    `Session ${sessionId} is open in Claude Code: ${describeOpenClaude(open)}`,
    {
      hint: 'Close it there, continue in a copy of it (with openbot cc run: --fork), or start a fresh session.',
    },
  );
}

/** Undefined while another process holds it. The lock of a dead process is taken over. */
export async function tryLock(path: string): Promise<HeldLock | undefined> {
  try {
    return await acquireLock(path, { timeoutMs: 0 });
  } catch (error) {
    if (error instanceof OpenBotError && error.code === 'LOCK_TIMEOUT') return undefined;
    throw error;
  }
}
