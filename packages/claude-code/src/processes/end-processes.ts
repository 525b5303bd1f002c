import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessStat } from '@openbot/sessions/disk';
import { askToEnd, sendSignal } from './send-signal.ts';

export interface EndOptions {
  /** How long they may take to end by themselves once they were asked to. */
  readonly patienceMs?: number;
  /** After this long, what cannot be ended is left: what waits for a dead disk cannot even be killed. */
  readonly limitMs?: number;
  /** Ends the wait, with an AbortError. What was asked to end was asked. */
  readonly signal?: AbortSignal;
}

const PATIENCE_MS = 2000;
const LIMIT_MS = 10_000;
const LOOK_EVERY_MS = 25;
/** A process that is just being replaced by another program carries nothing for a moment. */
const QUIET_LOOKS = 2;

/**
 * Asks processes to end, and after a while kills what is left, with what came meanwhile.
 * @param look finds those that are there, at each look anew
 * @returns what could not be ended
 */
export async function endProcesses(
  look: () => readonly ProcessStat[],
  { patienceMs = PATIENCE_MS, limitMs = LIMIT_MS, signal }: EndOptions = {},
): Promise<readonly ProcessStat[]> {
  const began = performance.now();
  const beyond = new Set<string>();
  for (let looks = 1, quiet = 0; ; looks++) {
    const found = look();
    const open = found.filter((process) => !beyond.has(nameProcess(process)));
    quiet = open.length === 0 ? quiet + 1 : 0;
    const waitedMs = performance.now() - began;
    if (quiet === QUIET_LOOKS || waitedMs > limitMs) return found;
    // What comes later may be how one of them cleans up.
    const send = looks === 1 ? ask : waitedMs < patienceMs ? undefined : kill;
    for (const process of open) if (send?.(process.pid) === false) beyond.add(nameProcess(process));
    await sleep(LOOK_EVERY_MS, undefined, { signal });
  }
}

/** Tells it from a later one with its pid. */
export function nameProcess({ pid, starttime }: Pick<ProcessStat, 'pid' | 'starttime'>): string {
  return `${pid}/${starttime}`;
}

const ask = (pid: number): boolean => askToEnd((name) => sendSignal(pid, name));
const kill = (pid: number): boolean => sendSignal(pid, 'SIGKILL');
