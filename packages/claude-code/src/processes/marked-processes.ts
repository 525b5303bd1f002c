import { readFileSync } from 'node:fs';
import type { ProcessStat } from '@openbot/sessions/disk';
import type { Environment } from '@openbot/sessions/layout';
import { type EndOptions, endProcesses } from './end-processes.ts';
import { listProcesses, nameProcess } from './process-list.ts';

/** Holds the mark of a run in the environment of its Claude Code; all processes that Claude Code starts inherit it. */
export const MARK_VARIABLE = 'OPENBOT_RUN_ID';

interface EndMarkedOptions extends EndOptions {
  /** Processes that belong to the run whether or not they have the mark. */
  readonly known?: readonly ProcessStat[];
}

/** The mark of the run that this process is a part of, by the environment of a new run or by its own. */
export function readOwnMark(env: Environment): string | undefined {
  return [env[MARK_VARIABLE], process.env[MARK_VARIABLE]].find(isMark);
}

/**
 * The processes that have a mark, and all their descendants even without it. Never this process. None where there is no
 * /proc.
 * @param known processes that count as marked
 */
export function findMarked(mark: string, known: Iterable<ProcessStat> = []): ProcessStat[] {
  if (!isMark(mark)) return [];
  const processes = listProcesses().filter(({ pid }) => pid !== process.pid);
  const knownNames = new Set(Array.from(known, nameProcess));
  const found = new Map<number, ProcessStat>();
  for (const process of processes) {
    if (knownNames.has(nameProcess(process)) || hasMark(process.pid, mark)) found.set(process.pid, process);
  }
  // A child can precede its parent in the list.
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const process of processes) if (found.has(process.parent)) found.set(process.pid, process);
  }
  return [...found.values()];
}

/**
 * Ends all processes that have a mark, and those that they start meanwhile.
 * @returns the processes that could not be ended
 */
export function endMarked(
  mark: string,
  { known = [], ...options }: EndMarkedOptions = {},
): Promise<readonly ProcessStat[]> {
  const seen = new Map(known.map((process) => [nameProcess(process), process]));
  const find = () => {
    const found = findMarked(mark, seen.values());
    for (const process of found) seen.set(nameProcess(process), process);
    return found;
  };
  return endProcesses(find, options);
}

export function isMark(text: string | undefined): text is string {
  return text !== undefined && UUID.test(text);
}

function hasMark(pid: number, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(`${MARK_VARIABLE}=${mark}`);
  } catch {
    // The process has ended, or belongs to another user.
    return false;
  }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
