import { readdirSync, readFileSync } from 'node:fs';

/** What Linux tells of a process. */
export interface ProcessStat {
  readonly pid: number;
  readonly parent: number;
  /** In clock ticks since boot. */
  readonly starttime: number;
  /** It has ended and is only waiting for its parent to be told. */
  readonly isOver: boolean;
}

/** Undefined where it is gone, or where there is no /proc. */
export function readProcessStat(pid: number): ProcessStat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The command name may itself contain spaces and brackets.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const [state = '', parent] = fields;
    const starttime = Number(fields[19]);
    if (!Number.isSafeInteger(starttime)) return undefined;
    return { pid, parent: Number(parent), starttime, isOver: state === 'Z' || state === 'X' };
  } catch {
    return undefined;
  }
}

/** All that are at work; none where there is no /proc. */
export function listProcesses(): ProcessStat[] {
  return listPids()
    .map(readProcessStat)
    .filter((stat) => stat !== undefined && !stat.isOver) as ProcessStat[];
}

function listPids(): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}
