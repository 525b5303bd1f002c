import { readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** A process that holds a file open for writing. */
interface OpenWriter {
  readonly pid: number;
  readonly fd: number;
}

export interface WriterSearch {
  /**
   * How much processor time to spend, in milliseconds: on a busy machine the search takes longer, but sees as much.
   * Newer processes are looked at first. 20.
   */
  readonly budgetMs?: number;
  /** For how long a descriptor must stay open to count, in milliseconds. 100. */
  readonly heldMs?: number;
}

/**
 * Another process that keeps the file open for writing. One that opens it, appends and closes does not count: the
 * descriptor must be open at every look for a while. Linux only, and only processes that this one may inspect.
 */
export async function findOpenWriter(
  path: string,
  search: WriterSearch = {},
): Promise<OpenWriter | undefined> {
  const target = resolveLinks(path);
  if (target === undefined) return undefined;
  for (const writer of listOpenWriters(path, search.budgetMs ?? 20)) {
    if (await staysOpen(writer, target, search.heldMs ?? 100)) return writer;
  }
  return undefined;
}

/** All other processes that have the file open for writing now, newer ones first; with the same limits. */
export function listOpenWriters(path: string, budgetMs: number): OpenWriter[] {
  if (process.platform !== 'linux') return [];
  const target = resolveLinks(path);
  return target === undefined ? [] : lookAtAll(target, budgetMs);
}

/** An appender may get the same number for its next descriptor, or be suspended while it has one. */
async function staysOpen({ pid, fd }: OpenWriter, target: string, heldMs: number): Promise<boolean> {
  const until = performance.now() + heldMs;
  while (performance.now() < until) {
    if (!isWriting(pid, fd, target)) return false;
    await sleep(1);
  }
  return true;
}

function resolveLinks(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

function lookAtAll(target: string, budgetMs: number): OpenWriter[] {
  const began = process.cpuUsage();
  const pids = listNumbers('/proc').sort((a, b) => b - a);
  const writers: OpenWriter[] = [];
  for (const pid of pids) {
    if (pid === process.pid) continue;
    for (const fd of listNumbers(`/proc/${pid}/fd`)) {
      if (isWriting(pid, fd, target)) writers.push({ pid, fd });
    }
    const { user, system } = process.cpuUsage(began);
    if (user + system > budgetMs * 1000) break;
  }
  return writers;
}

/** The names in a folder that are numbers; none if it cannot be read, as for processes of other users. */
function listNumbers(folder: string): number[] {
  try {
    return readdirSync(folder)
      .map(Number)
      .filter((number) => Number.isInteger(number));
  } catch {
    return [];
  }
}

const ACCESS_MODE = 0o3;

function isWriting(pid: number, fd: number, target: string): boolean {
  try {
    if (readlinkSync(`/proc/${pid}/fd/${fd}`) !== target) return false;
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/${pid}/fdinfo/${fd}`, 'latin1'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & ACCESS_MODE) !== 0;
  } catch {
    return false;
  }
}
