import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isHolderAlive, ownIdentity, type ProcessIdentity, writeFileAtomic } from '@openbot/sessions/disk';

const FILE = 'agent-host.json';

/** How long a host without a gateway has to end by itself. */
const PATIENCE_MS = 15_000;

/** Writes down which process is the host. */
export async function noteHost(stateDir: string): Promise<void> {
  await writeFileAtomic(join(stateDir, FILE), `${JSON.stringify(ownIdentity())}\n`);
}

/**
 * Ends the host of a gateway that was killed, where it does not end by itself: one whose event loop is blocked does not
 * hear that its gateway is gone.
 */
export async function endLeftover(stateDir: string): Promise<void> {
  const left = readNote(stateDir);
  if (left === undefined || isHolderAlive(left) !== 'alive') return;
  for (let waited = 0; waited < PATIENCE_MS; waited += 100) {
    await sleep(100, undefined, { ref: false });
    if (isHolderAlive(left) !== 'alive') return;
  }
  process.kill(left.pid, 'SIGKILL');
}

function readNote(stateDir: string): ProcessIdentity | undefined {
  try {
    return JSON.parse(readFileSync(join(stateDir, FILE), 'utf8')) as ProcessIdentity;
  } catch {
    return undefined;
  }
}
