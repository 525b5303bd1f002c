import { readdirSync } from 'node:fs';
import { ownIdentity, type ProcessIdentity, type ProcessStat, readProcessStat } from '@openbot/sessions/disk';

/** All processes that have not ended; none where there is no /proc. */
export function listProcesses(): ProcessStat[] {
  return listPids().flatMap((pid) => {
    const stat = readProcessStat(pid);
    return stat === undefined || stat.isOver ? [] : [stat];
  });
}

/** Distinguishes a process from a later one with the same pid. */
export function nameProcess({ pid, starttime }: Pick<ProcessStat, 'pid' | 'starttime'>): string {
  return `${pid}/${starttime}`;
}

/** A process of this host as other processes can recognise it. Undefined without a start time: a pid alone is reused. */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  const stat = readProcessStat(pid);
  return stat === undefined ? undefined : toIdentity(stat);
}

export function toIdentity({ pid, starttime }: Pick<ProcessStat, 'pid' | 'starttime'>): ProcessIdentity {
  const { host, pidSpace } = ownIdentity();
  return { pid, starttime, host, pidSpace };
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
