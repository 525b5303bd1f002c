import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { inject } from 'vitest';
import { run } from '../../src/cli/main.ts';
import { createRecordingTerminal } from './recording-terminal.ts';

export const OCC_LAUNCHER = join(import.meta.dirname, '..', '..', 'bin', 'occ.js');

export interface RunHereOptions {
  /** Added to an environment that has PATH, HOME and the compile cache only; undefined takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The home folder of the test when not given. */
  readonly cwd?: string;
  readonly input?: string;
}

export interface RunOccOptions extends RunHereOptions {
  /** Options of node itself, before the launcher. */
  readonly nodeArgs?: readonly string[];
  /** The Node that runs it: that of the test when not given. */
  readonly node?: string;
}

export interface OccRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The environment that `runOcc` starts from: nothing of the person's own agents. */
export function cleanEnvironment(env: RunOccOptions['env'] = {}): Record<string, string> {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  const all = { PATH, HOME, NODE_COMPILE_CACHE, ...env };
  return Object.fromEntries(
    Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
}

/**
 * Runs the command in this process, which takes about half of the CPU time: for tests of what it does and prints, not of
 * its process, its environment as Node sees it, or its bundle.
 */
export async function runOccHere(
  args: readonly string[],
  { env, cwd = process.env.HOME!, input = '' }: RunHereOptions = {},
): Promise<OccRun> {
  const terminal = createRecordingTerminal();
  const code = await run(args, { env: cleanEnvironment(env), cwd, terminal, readInput: async () => input });
  return { code, stdout: terminal.stdout, stderr: terminal.stderr };
}

/** Runs the real command as a person would, and waits for its end. */
export async function runOcc(args: readonly string[], options: RunOccOptions = {}): Promise<OccRun> {
  const fault = inject('occBundleFault');
  if (fault !== null) throw new Error(`The bundle of occ could not be made. ${fault}`);
  return new Promise((resolve, reject) => {
    const child = spawn(
      options.node ?? process.execPath,
      [...(options.nodeArgs ?? []), OCC_LAUNCHER, ...args],
      {
        cwd: options.cwd ?? process.env.HOME,
        env: cleanEnvironment(options.env),
      },
    );
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
    child.stdin.on('error', () => {});
    child.stdin.end(options.input ?? '');
    child.on('error', reject);
    child.on('close', (code) =>
      resolve({ code, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() }),
    );
  });
}
