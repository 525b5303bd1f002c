import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { inspectLock } from '@openbot/sessions/disk';
import { assertSessionId, type Environment } from '@openbot/sessions/layout';
import { resolveClaudeFolder } from '../repo/projects-folder.ts';

/** Beside the sessions: programs with different state folders share the sessions, and so the locks. */
export function resolveLockFolder(env: Environment = process.env): string {
  return join(resolveClaudeFolder(env), 'openbot-locks');
}

export function resolveSessionLock(sessionId: string, env: Environment): string {
  return join(resolveLockFolder(env), `session-${assertSessionId(sessionId)}.lock`);
}

/** The sessions that any process runs, registered or not. */
export function listLockedSessions(env?: Environment): Set<string> {
  const folder = resolveLockFolder(env);
  const locked = listNames(folder).filter((name) => inspectLock(join(folder, name))?.held === true);
  return new Set(locked.map((name) => LOCK_NAME.exec(name)![1]!));
}

const LOCK_NAME = /^session-(.+)\.lock$/;

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => LOCK_NAME.test(name));
  } catch {
    return [];
  }
}
