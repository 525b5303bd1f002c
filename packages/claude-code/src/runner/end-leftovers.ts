import { setTimeout as sleep } from 'node:timers/promises';
import { isHolderAlive, type ProcessIdentity } from '@openbot/sessions';
import { isRunning } from '../registry/is-running.ts';
import type { RegisteredSession } from '../registry/registered-session.ts';

const LOOK_EVERY_MS = 50;
const PATIENCE_MS = 15_000;

/** After a crash, Claude Code takes a moment to end. Nothing begins in its place before that. */
export async function endLeftovers(
  sessions: readonly RegisteredSession[],
  onFound: (session: RegisteredSession, child: ProcessIdentity) => void,
): Promise<void> {
  for (const session of sessions) {
    const { child } = session;
    if (child === undefined || isRunning(session) || isHolderAlive(child) !== 'alive') continue;
    onFound(session, child);
    await endProcess(child);
  }
}

async function endProcess(child: ProcessIdentity): Promise<void> {
  signal(child.pid, 'SIGTERM');
  const until = performance.now() + PATIENCE_MS;
  while (isHolderAlive(child) === 'alive') {
    if (performance.now() > until) signal(child.pid, 'SIGKILL');
    await sleep(LOOK_EVERY_MS);
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It ended just now.
  }
}
