import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { listProcesses, type ProcessStat } from './process-stat.ts';
import { askToEnd, sendSignal } from './send-signal.ts';

/** A run's mark stands in this variable of its Claude Code, and all that Claude Code starts inherits it. */
export const MARK_VARIABLE = 'OPENBOT_RUN_ID';

export interface EndOptions {
  /** How long they may take to end by themselves once they were asked to. */
  readonly patienceMs?: number;
  /** After this long, what cannot be ended is left. */
  readonly limitMs?: number;
}

const PATIENCE_MS = 2000;
const LIMIT_MS = 10_000;
const LOOK_EVERY_MS = 25;
/** A process that is just being replaced by another program carries nothing for a moment. */
const QUIET_LOOKS = 2;

/**
 * The processes that carry a mark, and what those started even where it does not carry it. Never this process. None where
 * there is no /proc.
 * @param known belong to them, whatever they carry by now
 */
export function findMarked(mark: string, known: Iterable<ProcessStat> = []): ProcessStat[] {
  if (!UUID.test(mark)) return [];
  const processes = listProcesses().filter(({ pid }) => pid !== process.pid);
  const knownNames = new Set(Array.from(known, nameOf));
  const found = new Map<number, ProcessStat>();
  for (const process of processes) {
    if (knownNames.has(nameOf(process)) || carries(process.pid, mark)) found.set(process.pid, process);
  }
  // Children of what was just found may stand anywhere in the list.
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const process of processes) if (found.has(process.parent)) found.set(process.pid, process);
  }
  return [...found.values()];
}

/**
 * Ends all that carries a mark: asks it to end, and after a while kills what is left of it, with what that started
 * meanwhile.
 * @returns what could not be ended
 */
export async function endMarked(mark: string, options: EndOptions = {}): Promise<ProcessStat[]> {
  const { patienceMs = PATIENCE_MS, limitMs = LIMIT_MS } = options;
  const began = performance.now();
  const known = new Map<string, ProcessStat>();
  const beyond = new Set<string>();
  for (let look = 1, quiet = 0; ; look++) {
    const found = findMarked(mark, known.values());
    for (const process of found) known.set(nameOf(process), process);
    const open = found.filter((process) => !beyond.has(nameOf(process)));
    quiet = open.length === 0 ? quiet + 1 : 0;
    const waitedMs = performance.now() - began;
    if (quiet === QUIET_LOOKS || waitedMs > limitMs) return found;
    // What comes later may be how one of them cleans up.
    const signal = look === 1 ? askToEnd : waitedMs < patienceMs ? undefined : kill;
    for (const process of open) if (signal?.(process.pid) === false) beyond.add(nameOf(process));
    await sleep(LOOK_EVERY_MS);
  }
}

const kill = (pid: number): boolean => sendSignal(pid, 'SIGKILL');

function carries(pid: number, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(`${MARK_VARIABLE}=${mark}`);
  } catch {
    // Gone, or somebody else's.
    return false;
  }
}

function nameOf({ pid, starttime }: ProcessStat): string {
  return `${pid}/${starttime}`;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
