import { readFileSync } from 'node:fs';
import { ownIdentity, type ProcessIdentity } from '@openbot/sessions';

/** A process of this host as others can recognise it. Where no start time can be had, a pid is no identity: undefined. */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The command name may itself contain spaces and brackets.
    const starttime = Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[19]);
    const { host, pidSpace } = ownIdentity();
    return Number.isSafeInteger(starttime) ? { pid, starttime, host, pidSpace } : undefined;
  } catch {
    return undefined;
  }
}
