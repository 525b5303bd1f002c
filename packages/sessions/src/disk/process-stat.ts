import { readFileSync } from 'node:fs';

/** What Linux tells of a process. */
export type ProcessStat = {
  readonly pid: number;
  readonly parent: number;
  /** In clock ticks since boot. */
  readonly starttime: number;
  /** It has ended and is only waiting for its parent to be told. */
  readonly isOver: boolean;
};

/** Undefined where it is gone, or where there is no /proc. */
export function readProcessStat(pid: number): ProcessStat | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The command name may itself contain spaces and brackets.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const [state, parent] = fields;
    const starttime = Number(fields[19]);
    if (!state || !Number.isSafeInteger(starttime)) return undefined;
    return { pid, parent: Number(parent), starttime, isOver: state === 'Z' || state === 'X' };
  } catch {
    return undefined;
  }
}
