import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { redactSecrets } from '@openbot/sessions';
import { guardGroup, isHandledElsewhere, startChild } from '@openbot/sessions/disk';
import { oneLine, shorten } from '@openbot/sessions/terminal-text';

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly timeoutMs: number;
  /** Gets the output as it arrives; without it, output is collected up to a limit. */
  readonly onOutput?: (chunk: Buffer) => void;
}

export type CommandOutcome =
  | { readonly kind: 'ended'; readonly code: number; readonly output: Buffer; readonly errors: string }
  | { readonly kind: 'not-installed' }
  | { readonly kind: 'timed-out' }
  | { readonly kind: 'failed'; readonly message: string };

const OUTPUT_LIMIT = 4 * 1024 * 1024;
const ERRORS_LIMIT = 16 * 1024;
/** If this process was busy, an answer that came in time may be waiting. */
const GRACE_MS = 100;

/**
 * Runs a program without a shell, a terminal or input. It never runs longer than its time limit or this process, and
 * the processes that it started are killed with it. Never throws.
 */
export async function runCommand(command: Command): Promise<CommandOutcome> {
  let child: ChildProcess | undefined;
  // Before the start: a signal that comes during it would end this process alone.
  const forget = endWithProcess(() => killGroup(child));
  try {
    child = await start(command);
    return await watch(child, command);
  } catch (error) {
    return describeFailure(error as NodeJS.ErrnoException, command);
  } finally {
    forget();
  }
}

function describeFailure({ code, message }: NodeJS.ErrnoException, { cwd }: Command): CommandOutcome {
  // ENOENT also means that the folder does not exist.
  if (code !== 'ENOENT') return { kind: 'failed', message };
  return existsSync(cwd) ? { kind: 'not-installed' } : { kind: 'failed', message: 'the folder is gone' };
}

const HAS_GROUPS = process.platform !== 'win32';

function start({ program, args, cwd, env }: Command): Promise<ChildProcess> {
  return startChild(program, args, {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    // A session of its own has no terminal to prompt on, and is one group to kill.
    detached: HAS_GROUPS,
    windowsHide: true,
  });
}

function watch(child: ChildProcess, command: Command): Promise<CommandOutcome> {
  const { promise, resolve } = Promise.withResolvers<CommandOutcome>();
  const [stdout, stderr] = [child.stdout!, child.stderr!];
  const output: Buffer[] = [];
  const errors: Buffer[] = [];
  let outputBytes = 0;
  let errorBytes = 0;
  let exitCode: number | null = null;
  let timer = setTimeout(() => {
    // If the program has exited, it has answered, even if a process that it started keeps the pipes open.
    timer = setTimeout(() => giveUp(exitCode === null ? { kind: 'timed-out' } : ended(exitCode)), GRACE_MS);
  }, command.timeoutMs);
  const dismiss = guardGroup(child.pid!);

  function settle(outcome: CommandOutcome): void {
    clearTimeout(timer);
    dismiss();
    resolve(outcome);
  }

  function ended(code: number): CommandOutcome {
    const text = Buffer.concat(errors).toString('utf8');
    return { kind: 'ended', code, output: Buffer.concat(output), errors: text };
  }

  function giveUp(outcome: CommandOutcome): void {
    killGroup(child);
    // A process that left the group can keep the pipes open.
    stdout.destroy();
    stderr.destroy();
    settle(outcome);
  }

  stdout.on('data', (chunk: Buffer) => {
    if (command.onOutput !== undefined) return command.onOutput(chunk);
    outputBytes += chunk.length;
    if (outputBytes > OUTPUT_LIMIT) giveUp({ kind: 'failed', message: 'it printed more than 4 MB' });
    else output.push(chunk);
  });
  stderr.on('data', (chunk: Buffer) => {
    if (errorBytes < ERRORS_LIMIT) errors.push(chunk);
    errorBytes += chunk.length;
  });
  child.on('exit', (code) => {
    exitCode = code;
  });
  child.on('close', (code, signal) => {
    if (code === null) settle({ kind: 'failed', message: `it was ended by ${signal ?? 'a signal'}` });
    else settle(ended(code));
  });
  return promise;
}

function killGroup(child: ChildProcess | undefined): void {
  if (child?.pid === undefined) return;
  try {
    if (HAS_GROUPS) process.kill(-child.pid, 'SIGKILL');
    else child.kill('SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** What to end before this process ends. */
const ends = new Set<() => void>();

/**
 * Calls `end` when this process exits or is ended by a signal. The signal then still ends the process in the same way.
 * If another listener handles the signal, only `exit` triggers it.
 * @returns a function that removes it
 */
export function endWithProcess(end: () => void): () => void {
  if (ends.size === 0) {
    process.on('exit', endAll);
    // Before other listeners: one that listens once is removed from the list before later ones are called.
    for (const signal of SIGNALS) process.prependListener(signal, onSignal);
  }
  ends.add(end);
  return () => {
    if (ends.delete(end) && ends.size === 0) stopListening();
  };
}

function onSignal(signal: NodeJS.Signals): void {
  if (isHandledElsewhere(signal, onSignal)) return;
  endAll();
  // A listener that ends the program is called next, and alone.
  if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
}

function endAll(): void {
  stopListening();
  for (const end of ends) end();
  ends.clear();
}

function stopListening(): void {
  process.off('exit', endAll);
  for (const signal of SIGNALS) process.off(signal, onSignal);
}

const REASON_LIMIT = 160;

/** Why a command has no answer, in one line without secrets: a URL in a message may contain a password. */
export function describeOutcome(
  command: Pick<Command, 'program' | 'timeoutMs'>,
  outcome: CommandOutcome,
): string {
  const { program } = command;
  if (outcome.kind === 'not-installed') return `${program} is not installed`;
  if (outcome.kind === 'timed-out') return `${program} did not answer within ${command.timeoutMs / 1000} s`;
  const said = outcome.kind === 'failed' ? outcome.message : firstLine(outcome.errors);
  const code = outcome.kind === 'ended' ? ` with exit code ${outcome.code}` : '';
  return said === ''
    ? `${program} failed${code}`
    : shorten(`${program} failed: ${redactSecrets(said)}`, REASON_LIMIT);
}

function firstLine(text: string): string {
  const line = text.split('\n').find((candidate) => candidate.trim() !== '') ?? '';
  return oneLine(line.replace(/^(?:fatal|error): /, ''));
}
