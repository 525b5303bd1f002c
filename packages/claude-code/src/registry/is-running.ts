import { isHolderAlive, ownIdentity } from '@openbot/sessions';
import type { RegisteredSession } from './registered-session.ts';

/** Whether the process that is written down as running a session still does. After a crash it does not. */
export function isRunning({ runner }: RegisteredSession): boolean {
  if (runner === undefined) return false;
  const liveness = isHolderAlive(runner);
  if (liveness !== 'unknown') return liveness === 'alive';
  // Where no start time can be had, a pid that exists on this host is all there is to go by.
  const own = ownIdentity();
  return runner.host === own.host && runner.pidSpace === own.pidSpace && runner.starttime === undefined;
}
