import { ownIdentity, type ProcessIdentity, type ProcessStat, readProcessStat } from '@openbot/sessions/disk';

/** A process of this host as others can recognise it. Where no start time can be had, a pid is no identity: undefined. */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  const stat = readProcessStat(pid);
  return stat === undefined ? undefined : toIdentity(stat);
}

export function toIdentity({ pid, starttime }: Pick<ProcessStat, 'pid' | 'starttime'>): ProcessIdentity {
  const { host, pidSpace } = ownIdentity();
  return { pid, starttime, host, pidSpace };
}
