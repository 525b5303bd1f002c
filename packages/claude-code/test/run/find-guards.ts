import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { stopProcess } from './stop-process.ts';

/** The shells that stand beside what a process started. */
export function findGuards(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        const status = readFileSync(`/proc/${name}/status`, 'latin1');
        const isChild = new RegExp(`^PPid:\\t${parent}$`, 'm').test(status);
        return isChild && readFileSync(`/proc/${name}/cmdline`, 'latin1').includes('openbot-guard');
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** Kills a process that runs Claude Code, and those that would have ended Claude Code in its place. */
export async function killWithGuards(child: ChildProcess): Promise<void> {
  await stopProcess(child.pid!);
  for (const pid of findGuards(child.pid!)) process.kill(pid, 'SIGKILL');
  child.kill('SIGKILL');
}
