import { readFileSync } from 'node:fs';
import { afterEach } from 'vitest';

/** Ends the process that still waits to edit a session when its test is over. Must be called before the folder goes. */
export function endScheduledEdits(pathOf: () => string): void {
  afterEach(() => {
    const pid = waitingProcessOf(pathOf());
    if (pid !== undefined && pid !== process.pid) kill(pid);
  });
}

/** The pid that the journal of a session names for an edit that waits. */
export function waitingProcessOf(path: string): number | undefined {
  try {
    const { scheduled } = JSON.parse(readFileSync(path.replace(/\.jsonl$/, '.occ.json'), 'utf8'));
    return scheduled?.state === 'waiting' ? scheduled.process.pid : undefined;
  } catch {
    return undefined;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
