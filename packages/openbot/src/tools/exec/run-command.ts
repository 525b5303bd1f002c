import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { guardGroup, startChild, undoAtEnding } from '@openbot/sessions/disk';
import { CutOutput } from './cut-output.ts';

export interface CommandRequest {
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** `left`: processes of its group were still there. They are ended. */
export type CommandEnd =
  | { readonly by: 'exit'; readonly code: number; readonly left: boolean }
  | { readonly by: 'signal'; readonly signal: string; readonly left: boolean }
  | { readonly by: 'timeout' }
  | { readonly by: 'abort' };

/** The command begins when the guard knows its group: if this process is killed before that, it does not begin. */
const WHEN_GUARDED = 'read -r _openbot_gate <&3 || exit; unset _openbot_gate; exec 3<&- /bin/sh -c "$1"';
/** Between SIGTERM and SIGKILL. */
const PATIENCE_MS = 2000;
const POLL_MS = 20;
/** A process that left the group can hold the output open for ever. */
const DRAIN_MS = 1000;

/**
 * Runs a command in a process group of its own and resolves when the group has ended. If this process is killed, a guard
 * ends the group. A process that starts a group or a session of its own is not found.
 */
export async function runCommand(request: CommandRequest): Promise<{ output: string; end: CommandEnd }> {
  const { command, cwd, env, timeoutMs, signal } = request;
  signal.throwIfAborted();
  const child = await startChild('/bin/sh', ['-c', WHEN_GUARDED, '/bin/sh', command], {
    cwd,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const output = new CutOutput();
  const streams = [child.stdout!, child.stderr!];
  for (const stream of streams) stream.on('data', (piece: Buffer) => output.add(piece));
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const { promise: cut, resolve: cutOff } = Promise.withResolvers<CommandEnd>();
  // A second Ctrl-C ends this process at once, and the group does not get it.
  const forget = undoAtEnding('processes', () => signalGroup(child.pid!, 'SIGKILL'));
  const dismiss = guardGroup(child.pid!);
  const gate = child.stdio[3] as Writable;
  gate.on('error', () => {}).end('\n');
  const timer = setTimeout(() => cutOff({ by: 'timeout' }), timeoutMs);
  const abort = () => cutOff({ by: 'abort' });
  signal.addEventListener('abort', abort, { once: true });
  // Meanwhile it was started.
  if (signal.aborted) abort();
  try {
    const end = await Promise.race([waitForExit(child), cut]);
    // After the shell has ended its group may have members: what it started with `&`.
    const isGone = await endGroup(child.pid!, end.by === 'timeout' || end.by === 'abort');
    await Promise.race([closed, pause(DRAIN_MS)]);
    return { output: output.text(), end: 'left' in end ? { ...end, left: !isGone } : end };
  } finally {
    forget();
    dismiss();
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
    for (const stream of streams) stream.destroy();
  }
}

function waitForExit(child: ChildProcess): Promise<CommandEnd> {
  return new Promise((resolve) => {
    child.once('exit', (code, name) =>
      resolve(
        code === null
          ? { by: 'signal', signal: name ?? 'a signal', left: false }
          : { by: 'exit', code, left: false },
      ),
    );
  });
}

/** Resolves when no process of the group runs; with true when none did. */
async function endGroup(pid: number, isRunning: boolean): Promise<boolean> {
  if (!isRunning && !hasProcesses(pid)) return true;
  signalGroup(pid, 'SIGTERM');
  const until = performance.now() + PATIENCE_MS;
  while (hasProcesses(pid) && performance.now() < until) await pause(POLL_MS);
  // What SIGKILL cannot end at once hangs in the kernel, and is not waited for longer.
  for (let tries = 0; tries < 50 && hasProcesses(pid); tries++) {
    signalGroup(pid, 'SIGKILL');
    await pause(POLL_MS);
  }
  return false;
}

/** Where it can be seen, without those that have ended and wait to be reaped, which some systems do late. */
function hasProcesses(group: number): boolean {
  if (!signalGroup(group, 0)) return false;
  if (process.platform !== 'linux') return true;
  return readdirSync('/proc').some((name) => {
    try {
      const stat = /^\d+$/.test(name) ? readFileSync(`/proc/${name}/stat`, 'latin1') : '';
      // The name of the program, in brackets, may contain anything.
      const [state, , own] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return Number(own) === group && state !== 'Z' && state !== 'X';
    } catch {
      return false;
    }
  });
}

/** False when the group has no process. */
function signalGroup(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    // The negative number means the group.
    return process.kill(-pid, name);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
