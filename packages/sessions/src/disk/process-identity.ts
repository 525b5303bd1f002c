import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename } from 'node:path';

/** Names one process for good: a pid alone is reused, and means nothing on another host or in another container. */
export interface ProcessIdentity {
  pid: number;
  /** Start of the process in clock ticks since boot, as in /proc/<pid>/stat. Linux only. */
  starttime?: number;
  host: string;
  /** The boot and pid namespace in which `pid` has a meaning. Linux only. */
  pidSpace?: string;
}

/** What a file says of a process: any part may be missing. */
export type ProcessClaim = { [Part in keyof ProcessIdentity]?: ProcessIdentity[Part] };

export type Liveness = 'alive' | 'dead' | 'unknown';

let own: ProcessIdentity | undefined;

export function ownIdentity(): ProcessIdentity {
  own ??= {
    pid: process.pid,
    starttime: readProcessStat(process.pid)?.starttime,
    host: hostname(),
    pidSpace: readPidSpace(),
  };
  return own;
}

/**
 * `alive` only when pid and start time both agree; `dead` only when that process is certainly gone; `unknown` when it
 * cannot be determined from here: another host or container, no pid, or a running pid without a start time to compare.
 * A holder that names no host is taken to be of this host, as OpenClaw takes its own locks.
 */
export function isHolderAlive(holder: ProcessClaim): Liveness {
  const self = ownIdentity();
  const { pid } = holder;
  if (pid === undefined || !Number.isInteger(pid) || pid <= 0 || pid > 0x7fffffff) return 'unknown';
  if (holder.host !== undefined && holder.host !== self.host) return 'unknown';
  if (holder.pidSpace !== undefined && self.pidSpace !== undefined && holder.pidSpace !== self.pidSpace) {
    return 'unknown';
  }
  if (pid === self.pid && holder.starttime !== undefined && holder.starttime === self.starttime)
    return 'alive';
  const stat = readProcessStat(pid);
  if (stat === undefined) return pidExists(pid) ? 'unknown' : 'dead';
  // A killed process stays listed until its parent reaps it.
  if (stat.isOver) return 'dead';
  if (holder.starttime === undefined) return 'unknown';
  return holder.starttime === stat.starttime ? 'alive' : 'dead';
}

/** Program and script name of a running process. Arguments are left out: they may hold secrets. */
export function describeCommand(pid: number): string | undefined {
  try {
    const [program, script] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    if (!program) return undefined;
    const named =
      script && !script.startsWith('-') && /\.[cm]?[jt]s$/.test(script) ? ` ${basename(script)}` : '';
    return basename(program.split(' ')[0] ?? program) + named;
  } catch {
    return undefined;
  }
}

function pidExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function readPidSpace(): string | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    return `${boot}/${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return undefined;
  }
}

/** What Linux reports of a process. */
export interface ProcessStat {
  readonly pid: number;
  readonly parent: number;
  /** In clock ticks since boot. */
  readonly starttime: number;
  /** It has ended and is only waiting for its parent to reap it. */
  readonly isOver: boolean;
}

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
