import { isHolderAlive, ownIdentity, type ProcessIdentity } from '@openbot/sessions/disk';
import type { RegisteredSession } from './registered-session.ts';

/** Runs of this process whose end could not be written to the registry, by session id and start. */
const ended = new Set<string>();

export function rememberEnd(sessionId: string, startedAt: string): void {
  ended.add(`${sessionId} ${startedAt}`);
}

/** Whether the process that the registry names still runs the session. After a crash it does not. */
export function isRunning({ runner, sessionId, startedAt }: RegisteredSession): boolean {
  if (runner === undefined || ended.has(`${sessionId} ${startedAt}`)) return false;
  const liveness = isHolderAlive(runner);
  if (liveness !== 'unknown') return liveness === 'alive';
  // Without start times, a pid that exists on this host has to be enough.
  const own = ownIdentity();
  return runner.host === own.host && runner.pidSpace === own.pidSpace && runner.starttime === undefined;
}

/** Whether a value from a file identifies a process. */
export function isProcess(value: unknown): value is ProcessIdentity {
  if (typeof value !== 'object' || value === null) return false;
  const { pid, host } = value as Record<string, unknown>;
  return Number.isInteger(pid) && Number(pid) > 0 && typeof host === 'string';
}
