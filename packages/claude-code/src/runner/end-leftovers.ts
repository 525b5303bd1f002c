import { setTimeout as sleep } from 'node:timers/promises';
import { isHolderAlive, type ProcessIdentity } from '@openbot/sessions';
import { isRunning } from '../registry/is-running.ts';
import type { RegisteredSession } from '../registry/registered-session.ts';
import { toIdentity } from './identify-process.ts';
import { endMarked, findMarked } from './marked-processes.ts';
import { askToEnd, sendSignal } from './send-signal.ts';

const LOOK_EVERY_MS = 50;
/** As long as the guard gives it, which may be at it too. */
const PATIENCE_MS = 10_000;
/** A process that waits for a dead disk cannot even be killed. */
const LIMIT_MS = 20_000;

/**
 * After a crash of ours, Claude Code takes a moment to end, and where it was killed too its tools go on. Nothing begins in
 * their place before they are ended. A session whose runner is at work is left alone.
 * @param onFound is told once of each session of which something was left: Claude Code, or else one of its tools
 * @returns the sessions whose runner is gone and did not write down their end, whether or not anything was left
 */
export async function endLeftovers(
  sessions: readonly RegisteredSession[],
  onFound: (session: RegisteredSession, left: ProcessIdentity) => void,
): Promise<RegisteredSession[]> {
  const crashed = sessions.filter((session) => session.runner !== undefined && !isRunning(session));
  for (const session of crashed) {
    const { child } = session;
    const mark = isSurelyGone(session) ? session.mark : undefined;
    const isChildLeft = child !== undefined && isHolderAlive(child) === 'alive';
    const left = isChildLeft ? child : findTool(mark);
    if (left === undefined) continue;
    onFound(session, left);
    if (isChildLeft) await endClaude(child);
    if (mark !== undefined) await endMarked(mark);
  }
  return crashed;
}

/** Its processes can be seen here also where the runner lives in a container that cannot be looked into. */
function isSurelyGone({ runner }: RegisteredSession): boolean {
  return runner !== undefined && isHolderAlive(runner) === 'dead';
}

function findTool(mark: string | undefined): ProcessIdentity | undefined {
  const [first] = mark === undefined ? [] : findMarked(mark);
  return first && toIdentity(first);
}

async function endClaude(child: ProcessIdentity): Promise<void> {
  askToEnd(child.pid);
  const began = performance.now();
  for (let waitedMs = 0; waitedMs < LIMIT_MS; waitedMs = performance.now() - began) {
    if (isHolderAlive(child) !== 'alive') return;
    // It leads its group.
    if (waitedMs > PATIENCE_MS) sendSignal(-child.pid, 'SIGKILL');
    await sleep(LOOK_EVERY_MS);
  }
}
