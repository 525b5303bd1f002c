import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
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
    const { scheduled } = JSON.parse(readFileSync(journalOf(path), 'utf8'));
    return scheduled?.state === 'waiting' ? scheduled.process.pid : undefined;
  } catch {
    return undefined;
  }
}

export function journalOf(path: string): string {
  return join(dirname(path), 'backups', basename(path).replace(/\.jsonl$/, '.occ.json'));
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
