import { readFileSync } from 'node:fs';
import { waitFor } from './run-workbench.ts';

/** Stops a process as Ctrl-Z does, and waits until it is. Linux only. */
export async function stopProcess(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  await waitFor(`a stop of ${pid}`, () => {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return text.slice(text.lastIndexOf(')') + 2).startsWith('T') || undefined;
  });
}
