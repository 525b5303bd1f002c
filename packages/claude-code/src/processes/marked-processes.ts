import { readFileSync } from 'node:fs';
import type { ProcessStat } from '@openbot/sessions/disk';
import { type EndOptions, endProcesses, nameProcess } from './end-processes.ts';
import { listProcesses } from './list-processes.ts';

/** A run's mark stands in this variable of its Claude Code, and all that Claude Code starts inherits it. */
export const MARK_VARIABLE = 'OPENBOT_RUN_ID';

export interface EndMarkedOptions extends EndOptions {
  /** Belong to them, whatever they carry. */
  readonly known?: readonly ProcessStat[];
}

/**
 * The processes that carry a mark, and what those started even where it does not carry it. Never this process. None where
 * there is no /proc.
 * @param known belong to them, whatever they carry by now
 */
export function findMarked(mark: string, known: Iterable<ProcessStat> = []): ProcessStat[] {
  if (!isMark(mark)) return [];
  const processes = listProcesses().filter(({ pid }) => pid !== process.pid);
  const knownNames = new Set(Array.from(known, nameProcess));
  const found = new Map<number, ProcessStat>();
  for (const process of processes) {
    if (knownNames.has(nameProcess(process)) || carries(process.pid, mark)) found.set(process.pid, process);
  }
  // Children of what was just found may stand anywhere in the list.
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const process of processes) if (found.has(process.parent)) found.set(process.pid, process);
  }
  return [...found.values()];
}

/**
 * Ends all that carries a mark, with what it starts meanwhile.
 * @returns what could not be ended
 */
export function endMarked(
  mark: string,
  { known = [], ...options }: EndMarkedOptions = {},
): Promise<readonly ProcessStat[]> {
  const seen = new Map(known.map((process) => [nameProcess(process), process]));
  const look = () => {
    const found = findMarked(mark, seen.values());
    for (const process of found) seen.set(nameProcess(process), process);
    return found;
  };
  return endProcesses(look, options);
}

export function isMark(text: string | undefined): text is string {
  return text !== undefined && UUID.test(text);
}

function carries(pid: number, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(`${MARK_VARIABLE}=${mark}`);
  } catch {
    // Gone, or somebody else's.
    return false;
  }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
