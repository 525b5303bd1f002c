import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type OccRun, type RunOccOptions, runOcc } from './run-occ.ts';

/** What happens to a real process at one of its calls to SQLite, whose own writing no hook of Node's sees. */
export type SqliteFault = {
  /** Counted from 1. */
  readonly at: number;
} & (
  | { readonly strike: 'kill-before' | 'kill-after' }
  /** While the call runs, after so many milliseconds; it may be over by then. */
  | { readonly strike: 'kill-within'; readonly within: number }
  /** The call fails with a result code of SQLite's. */
  | { readonly strike: 'fail'; readonly errcode: number }
);

const PRELOAD = pathToFileURL(join(import.meta.dirname, 'sqlite-faults-preload.mjs')).href;

/** Runs the real command with a fault in it. A killed one has the code null. */
export function runOccWithSqliteFault(
  args: readonly string[],
  fault: SqliteFault,
  options: RunOccOptions = {},
): Promise<OccRun> {
  return runPreloaded(args, fault, options);
}

/** Runs the real command and tells which calls to SQLite it made, in order: `exec COMMIT`, `run DELETE …`. */
export async function listSqliteCalls(
  args: readonly string[],
  options: RunOccOptions = {},
): Promise<{ run: OccRun; calls: string[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'occ-calls-'));
  try {
    const log = join(folder, 'calls.json');
    const run = await runPreloaded(args, { log }, options);
    return { run, calls: JSON.parse(readFileSync(log, 'utf8')) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function runPreloaded(args: readonly string[], fault: object, options: RunOccOptions): Promise<OccRun> {
  return runOcc(args, {
    ...options,
    // On Node 22 the preload's own import of SQLite warns.
    nodeArgs: ['--disable-warning=ExperimentalWarning', '--import', PRELOAD, ...(options.nodeArgs ?? [])],
    env: { ...options.env, SQLITE_FAULTS: JSON.stringify(fault) },
  });
}
