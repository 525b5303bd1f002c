/** Runs occ as people do: the published entry point, in a process of its own, with a home that holds nothing. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const OCC = fileURLToPath(new URL('../packages/occ/bin/occ.js', import.meta.url));
export const MEGABYTE = 1024 * 1024;

/** Tells on descriptor 3 how much memory the process held at most. The figure of `getrusage` counts the parent's too. */
const TELL_PEAK = `data:text/javascript,${encodeURIComponent(
  `import { readFileSync, writeSync } from 'node:fs';
   process.on('exit', () => writeSync(3, /VmHWM:\\s+(\\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))[1]));`,
)}`;

/** Tells on descriptor 3 when each step began (packages/sessions/src/progress.ts), and when the last one ended. */
const TELL_STEPS = `data:text/javascript,${encodeURIComponent(
  `import { subscribe } from 'node:diagnostics_channel';
   import { writeSync } from 'node:fs';
   const begun = [['start', 0], ['load', performance.now()]];
   subscribe('openbot:progress', ({ step }) => step && begun.push([step, performance.now()]));
   process.on('exit', () => writeSync(3, JSON.stringify([...begun, ['exit', performance.now()]])));`,
)}`;

export interface Finished {
  ms: number;
  stdout: string;
}

export interface RunOptions {
  env?: Record<string, string>;
  /** Gives what was written to descriptor 3 as `stdout`. */
  tells?: boolean;
}

/** The time from the start of a program to its end. Throws what it wrote when it fails. */
export async function run(
  command: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<Finished> {
  const started = performance.now();
  const child = spawn(command, args, {
    env: { PATH: process.env.PATH, TMPDIR: tmpdir(), ...options.env },
    stdio: ['ignore', 'pipe', 'pipe', options.tells ? 'pipe' : 'ignore'],
  });
  const texts = ['', '', ''];
  for (const [index, stream] of [child.stdout, child.stderr, child.stdio[3]].entries()) {
    stream?.on('data', (chunk) => {
      texts[index] += chunk;
    });
  }
  const exited = once(child, 'exit').then(([code]) => ({ code, ms: performance.now() - started }));
  const [{ code, ms }] = await Promise.all([exited, once(child, 'close')]);
  const [stdout = '', stderr = '', told = ''] = texts;
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}: ${stderr || stdout}`);
  return { ms, stdout: options.tells ? told : stdout };
}

export const runNode = (args: readonly string[], options?: RunOptions) =>
  run(process.execPath, args, options);

/** The peak of a command's memory in bytes. */
export async function peakOf(args: readonly string[], env: Record<string, string>): Promise<number> {
  const { stdout } = await runNode(['--import', TELL_PEAK, ...args], { env, tells: true });
  return Number(stdout) * 1024;
}

/** Where the time of one run goes, in the fastest of several: `start 24, load 20, …`, in ms. */
export async function stepsOf(
  rounds: number,
  args: readonly string[],
  env: Record<string, string>,
  prepare: () => Promise<unknown>,
): Promise<string> {
  let fastest: Finished | undefined;
  for (let round = 0; round < rounds; round++) {
    await prepare();
    const finished = await runNode(['--import', TELL_STEPS, ...args], { env, tells: true });
    if (fastest === undefined || finished.ms < fastest.ms) fastest = finished;
  }
  const { ms, stdout } = fastest!;
  const begun = JSON.parse(stdout) as [step: string, at: number][];
  const times = new Map<string, number>();
  for (const [place, [step, at]] of begun.entries()) {
    const end = begun[place + 1]?.[1] ?? ms;
    times.set(step, (times.get(step) ?? 0) + end - at);
  }
  return [...times].map(([step, time]) => `${step} ${time.toFixed(0)}`).join(', ');
}

/** Runs the same several times, each time after `prepare`, whose time does not count; the fastest time in ms. */
export async function bestOf(
  rounds: number,
  work: () => Promise<{ ms: number }>,
  prepare: () => Promise<void> = async () => {},
): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    await prepare();
    best = Math.min(best, (await work()).ms);
  }
  return best;
}

export async function inTempFolder<T>(body: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'openbot-bench-'));
  try {
    return await body(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A state folder that holds one session, a fresh copy of `source` that has reached the disk. */
export async function placeSession(stateDir: string, source: string, sessionId: string): Promise<string> {
  await rm(stateDir, { recursive: true, force: true });
  const sessions = join(stateDir, 'agents', 'main', 'sessions');
  await mkdir(sessions, { recursive: true, mode: 0o700 });
  const path = join(sessions, `${sessionId}.jsonl`);
  const entry = { sessionId, updatedAt: 1_794_766_000_000, totalTokens: 119_000, contextTokens: 128_000 };
  await writeFile(join(sessions, 'sessions.json'), JSON.stringify({ 'agent:main:main': entry }, null, 2));
  await copySynced(source, path);
  return path;
}

export async function copySynced(source: string, target: string): Promise<void> {
  await copyFile(source, target);
  const handle = await open(target, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
