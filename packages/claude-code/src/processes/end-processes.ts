import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessStat } from '@openbot/sessions/disk';
import { nameProcess } from './process-list.ts';

export interface EndOptions {
  /** How long the processes may take to end after SIGTERM. */
  readonly patienceMs?: number;
  /** When to give up: a process that waits for a dead disk does not react even to SIGKILL. */
  readonly limitMs?: number;
  /** Stops the wait with an AbortError. Signals that were sent stay sent. */
  readonly signal?: AbortSignal;
}

const PATIENCE_MS = 2000;
const LIMIT_MS = 10_000;
const POLL_MS = 25;
/** During `exec` a process has no environment to read for a moment, so one empty poll proves nothing. */
const EMPTY_POLLS = 2;

/**
 * Sends SIGTERM to processes, and after a while SIGKILL to those that remain and those that were started since.
 * @param find lists the processes, anew at each poll
 * @returns the processes that could not be ended
 */
export async function endProcesses(
  find: () => readonly ProcessStat[],
  { patienceMs = PATIENCE_MS, limitMs = LIMIT_MS, signal }: EndOptions = {},
): Promise<readonly ProcessStat[]> {
  const began = performance.now();
  const forbidden = new Set<string>();
  for (let polls = 1, empty = 0; ; polls++) {
    const found = find();
    const open = found.filter((process) => !forbidden.has(nameProcess(process)));
    empty = open.length === 0 ? empty + 1 : 0;
    const waitedMs = performance.now() - began;
    if (empty === EMPTY_POLLS || waitedMs > limitMs) return found;
    // A process that appears later may be part of the clean-up of another: it gets no SIGTERM.
    const send = polls === 1 ? terminate : waitedMs < patienceMs ? undefined : kill;
    for (const process of open) if (send?.(process.pid) === false) forbidden.add(nameProcess(process));
    await sleep(POLL_MS, undefined, { signal });
  }
}

/** False if the process belongs to another user; true also if it has ended. A negative pid addresses its whole group. */
export function sendSignal(pid: number, name: NodeJS.Signals): boolean {
  try {
    process.kill(pid, name);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'EPERM';
  }
}

/** Sends SIGTERM, and SIGCONT: a stopped process receives SIGTERM only when it continues. */
export function askToEnd(send: (name: NodeJS.Signals) => boolean): boolean {
  return send('SIGTERM') && (process.platform === 'win32' || send('SIGCONT'));
}

const terminate = (pid: number): boolean => askToEnd((name) => sendSignal(pid, name));
const kill = (pid: number): boolean => sendSignal(pid, 'SIGKILL');
