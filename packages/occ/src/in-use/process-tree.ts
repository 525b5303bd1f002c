import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describeCommand } from '@openbot/sessions/disk';

/** A process above this one. */
export interface Ancestor {
  readonly pid: number;
  /** The name of its program; empty where that cannot be seen. */
  readonly program: string;
}

const DEEPEST = 64;

/** The processes above `pid`, the nearest first. Those that cannot be seen, and all above them, are left out. */
export function listAncestors(pid: number = process.pid): Ancestor[] {
  const ancestors: Ancestor[] = [];
  const processes = process.platform === 'linux' ? readProc : readWithPs();
  let at = processes(pid)?.parent;
  while (at !== undefined && at > 0 && ancestors.length < DEEPEST) {
    const found = processes(at);
    if (found === undefined) break;
    ancestors.push({ pid: at, program: found.program ?? describeCommand(at)?.split(' ')[0] ?? '' });
    at = found.parent;
  }
  return ancestors;
}

/** Start of a process in clock ticks since boot: what tells it from a later one with the same pid. Linux only. */
export function readStartTime(pid: number): number | undefined {
  return process.platform === 'linux' ? readProc(pid)?.starttime : undefined;
}

interface SeenProcess {
  readonly parent: number;
  readonly program?: string;
  readonly starttime?: number;
}

function readProc(pid: number): SeenProcess | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name before it may itself hold spaces and brackets.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { parent: Number(fields[1]), starttime: Number(fields[19]) };
  } catch {
    return undefined;
  }
}

function readWithPs(): (pid: number) => SeenProcess | undefined {
  const seen = new Map<number, SeenProcess>();
  try {
    const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,comm='], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    for (const [, pid, parent, name] of table.matchAll(/^\s*(\d+)\s+(\d+)\s+(.*)$/gm)) {
      seen.set(Number(pid), { parent: Number(parent), program: name?.split('/').at(-1) ?? '' });
    }
  } catch {
    // Without ps nobody is known to be an ancestor; the session then counts as in use by a stranger.
  }
  return (pid) => seen.get(pid);
}
