import { isHolderAlive, ownIdentity } from '@openbot/sessions/disk';
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
