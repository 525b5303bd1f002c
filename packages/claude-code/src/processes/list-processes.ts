import { readdirSync } from 'node:fs';
import { type ProcessStat, readProcessStat } from '@openbot/sessions/disk';

/** All that are at work; none where there is no /proc. */
export function listProcesses(): ProcessStat[] {
  return listPids().flatMap((pid) => {
    const stat = readProcessStat(pid);
    return stat === undefined || stat.isOver ? [] : [stat];
  });
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
