import { setTimeout as sleep } from 'node:timers/promises';
import { OpenBotError } from '@openbot/sessions';
import { inspectLock, isHolderAlive, ownIdentity } from '@openbot/sessions/disk';
import { gatewayFiles } from './gateway-files.ts';

const LOOK_EVERY_MS = 20;

export type Stopped =
  | { readonly was: 'not running' }
  | { readonly was: 'stopped' | 'killed'; readonly pid: number };

/**
 * Asks the gateway to end, and waits for it: runs may end within its grace. Throws GATEWAY_NOT_STOPPED; with `force` it is
 * killed instead, and what ran goes on with the next one.
 */
export async function stopGateway(
  stateDir: string,
  { timeoutMs, force }: { readonly timeoutMs: number; readonly force: boolean },
): Promise<Stopped> {
  const lock = inspectLock(gatewayFiles(stateDir).lock);
  const pid = lock?.holder.pid;
  if (!lock?.held || pid === undefined) return { was: 'not running' };
  if (isElsewhere(lock.holder))
    throw notStopped(`${lock.who} cannot be reached from here`, 'Stop it where it runs');
  signal(pid, 'SIGTERM');
  if (await waitForEnd(lock.holder, timeoutMs)) return { was: 'stopped', pid };
  if (!force)
    throw notStopped(
      `Process ${pid} has not ended within ${Math.round(timeoutMs / 1000)} seconds`,
      "Wait, or end it at once with 'openbot gateway stop --force': what runs goes on with the next start",
    );
  signal(pid, 'SIGKILL');
  if (!(await waitForEnd(lock.holder, KILLED_MS)))
    throw notStopped(`Process ${pid} is still there`, 'Its disk or its debugger holds it');
  return { was: 'killed', pid };
}

const KILLED_MS = 10_000;

type Holder = NonNullable<ReturnType<typeof inspectLock>>['holder'];

/** A pid means nothing on another machine or in another container. */
function isElsewhere({ host, pidSpace }: Holder): boolean {
  const own = ownIdentity();
  return (host ?? own.host) !== own.host || (pidSpace ?? own.pidSpace) !== own.pidSpace;
}

async function waitForEnd(holder: Holder, timeoutMs: number): Promise<boolean> {
  const until = performance.now() + timeoutMs;
  for (;;) {
    if (!lives(holder)) return true;
    if (performance.now() >= until) return false;
    await sleep(LOOK_EVERY_MS);
  }
}

function lives(holder: Holder): boolean {
  const liveness = isHolderAlive(holder);
  if (liveness !== 'unknown') return liveness === 'alive';
  try {
    process.kill(holder.pid!, 0);
    return true;
  } catch {
    return false;
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return;
    throw notStopped(
      `Process ${pid} cannot be signalled: ${(error as Error).message}`,
      'Stop it as its owner',
    );
  }
}

function notStopped(message: string, hint: string): OpenBotError {
  return new OpenBotError('GATEWAY_NOT_STOPPED', message, { hint });
}
