import { isHolderAlive, ownIdentity, type ProcessIdentity } from '@openbot/sessions/disk';
import type { RegisteredSession } from './registered-session.ts';

/** Runs of this process that are over, by session id and beginning, although that could not be written down. */
const ended = new Set<string>();

export function rememberEnd(sessionId: string, startedAt: string): void {
  ended.add(`${sessionId} ${startedAt}`);
}

/** Whether the process that is written down as running a session still does. After a crash it does not. */
export function isRunning({ runner, sessionId, startedAt }: RegisteredSession): boolean {
  if (runner === undefined || ended.has(`${sessionId} ${startedAt}`)) return false;
  const liveness = isHolderAlive(runner);
  if (liveness !== 'unknown') return liveness === 'alive';
  // Where no start time can be had, a pid that exists on this host is all there is to go by.
  const own = ownIdentity();
  return runner.host === own.host && runner.pidSpace === own.pidSpace && runner.starttime === undefined;
}

/** Whether a file names a process. */
export function isProcess(value: unknown): value is ProcessIdentity {
  if (typeof value !== 'object' || value === null) return false;
  const { pid, host } = value as Record<string, unknown>;
  return Number.isInteger(pid) && Number(pid) > 0 && typeof host === 'string';
}
