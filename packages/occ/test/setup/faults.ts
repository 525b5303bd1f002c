import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type OccRun, type RunOccOptions, runOcc } from './run-occ.ts';

export type CountedCall =
  | 'write'
  | 'rename'
  | 'link'
  | 'unlink'
  | 'copyFile'
  | 'fsync'
  | 'truncate'
  | 'mkdir'
  | 'open';

/** What happens to a real process at one of its calls to the disk. */
export interface Fault {
  /** Counted from 1. */
  readonly at: number;
  /**
   * `kill-half` lets half of the bytes be written first; for a call that writes none it is `kill-before`. An error code
   * is what the call fails with, half of its bytes written. A signal is heard when the program next looks around.
   */
  readonly strike:
    | 'kill-before'
    | 'kill-half'
    | 'kill-after'
    | 'SIGINT'
    | 'SIGTERM'
    | 'ENOSPC'
    | 'EIO'
    | 'EROFS'
    | 'EDQUOT'
    | 'EACCES';
  /** All later calls fail too, as on a disk that stays full. */
  readonly forGood?: boolean;
  /** Which calls are counted: all when not given. `open` is one that may create the file. */
  readonly ops?: readonly CountedCall[];
  /** Only calls whose target is in this folder. */
  readonly under?: string;
}

const PRELOAD = pathToFileURL(join(import.meta.dirname, 'faults-preload.mjs')).href;

/** Runs the real command with a fault in it. A killed one has the code null. */
export function runOccWithFault(
  args: readonly string[],
  fault: Fault,
  options: RunOccOptions = {},
): Promise<OccRun> {
  return runPreloaded(args, fault, options);
}

/** Runs the real command and tells which calls to the disk it made, in order: `rename <target>`. */
export async function listDiskCalls(
  args: readonly string[],
  which: Pick<Fault, 'ops' | 'under'> = {},
  options: RunOccOptions = {},
): Promise<{ run: OccRun; calls: string[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'occ-calls-'));
  try {
    const log = join(folder, 'calls.json');
    const run = await runPreloaded(args, { ...which, log }, options);
    return { run, calls: JSON.parse(readFileSync(log, 'utf8')) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function runPreloaded(args: readonly string[], fault: object, options: RunOccOptions): Promise<OccRun> {
  return runOcc(args, {
    ...options,
    nodeArgs: ['--import', PRELOAD, ...(options.nodeArgs ?? [])],
    env: { ...options.env, FAULTS: JSON.stringify(fault) },
  });
}
