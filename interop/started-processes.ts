/** Processes that this program started. Each leads a group of its own and is ended, with its group, before we are gone. */
import { type ChildProcess, spawn } from 'node:child_process';
import { openSync } from 'node:fs';

export interface StartOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const running = new Set<ChildProcess>();

/** A process that stays; what it prints is appended to a file. */
export function startProcess(
  command: string,
  args: readonly string[],
  options: StartOptions & { readonly outputPath: string },
): ChildProcess {
  const output = openSync(options.outputPath, 'a');
  return register(
    spawn(command, args, {
      cwd: options.cwd,
      env: options.env,
      stdio: ['ignore', output, output],
      detached: true,
    }),
  );
}

/** A command that ends by itself. */
export async function runCommand(
  command: string,
  args: readonly string[],
  options: StartOptions & { readonly input?: string },
): Promise<CommandResult> {
  const child = register(
    spawn(command, args, {
      cwd: options.cwd,
      env: options.env,
      stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      detached: true,
    }),
  );
  child.stdin?.end(options.input);
  const [stdout, stderr] = [gather(child.stdout), gather(child.stderr)];
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    // Not `close`: a detached grandchild may keep the pipes open.
    child.once('exit', (status) => setTimeout(() => resolve(status), 50));
  });
  return { code, stdout: stdout(), stderr: stderr() };
}

/** Asks it to end, waits, and ends it. */
export async function endProcess(child: ChildProcess, graceMs = 15_000): Promise<void> {
  if (hasEnded(child)) return;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  signalGroup(child, 'SIGTERM');
  const timer = setTimeout(() => signalGroup(child, 'SIGKILL'), graceMs);
  await ended;
  clearTimeout(timer);
}

export async function endAllProcesses(graceMs?: number): Promise<void> {
  await Promise.all([...running].map((child) => endProcess(child, graceMs)));
}

process.on('exit', () => {
  for (const child of running) signalGroup(child, 'SIGKILL');
});

export function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

function register(child: ChildProcess): ChildProcess {
  running.add(child);
  child.once('exit', () => running.delete(child));
  child.once('error', () => running.delete(child));
  return child;
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {}
}

function gather(stream: NodeJS.ReadableStream | null): () => string {
  const chunks: Buffer[] = [];
  stream?.on('data', (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString('utf8');
}
