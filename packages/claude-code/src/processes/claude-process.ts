import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SpawnedProcess } from '@anthropic-ai/claude-agent-sdk';
import { redactSecrets } from '@openbot/sessions';
import type { ProcessIdentity } from '@openbot/sessions/disk';
import { dismissGuard, startGuard } from './claude-guard.ts';
import { askToEnd, sendSignal } from './end-processes.ts';
import { endMarked, MARK_VARIABLE } from './marked-processes.ts';
import { identifyProcess } from './process-list.ts';

export interface ClaudeCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** In the environment of all processes that it starts. */
  readonly mark: string;
}

/**
 * Claude Code as the SDK sees it. The SDK would end it by its own schedule, at last by SIGKILL to Claude Code alone, and
 * leave its tools behind. Here its `kill` only requests `ClaudeProcess.end`.
 */
interface SdkChild extends SpawnedProcess {
  readonly pid: number | undefined;
}

const HAS_GROUPS = process.platform !== 'win32';
const STDERR_LIMIT = 4096;
/** Secrets are searched in more than is shown: a secret that was cut is not recognised. */
const STDERR_KEPT = 16 * STDERR_LIMIT;
/** Long enough to end tools; Claude Code itself takes up to three seconds. */
const END_PATIENCE_MS = 10_000;

/** One Claude Code, which never outlives this process. */
export class ClaudeProcess {
  readonly mark: string;
  readonly child: SdkChild;
  readonly identity: ProcessIdentity | undefined;
  /**
   * Resolves when it has ended, or could not be started. If it was ended, killed or failed, no process that it started is
   * left then. If it ended well, processes that it detached on purpose continue, as they would in a terminal.
   */
  readonly gone: Promise<void>;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #exited: Promise<void>;
  readonly #stderr: () => string;
  #ending: Promise<void> | undefined;
  #clearing: Promise<void> | undefined;

  constructor({ command, args, cwd, env, mark }: ClaudeCommand) {
    this.mark = mark;
    this.#child = spawn(command, args, {
      cwd,
      env: { ...env, [MARK_VARIABLE]: mark },
      stdio: ['pipe', 'pipe', 'pipe'],
      // Ctrl-C in a terminal goes to this process alone, which then ends Claude Code in an orderly way.
      detached: HAS_GROUPS,
      windowsHide: true,
    });
    this.#exited = whenExited(this.#child);
    // Node makes no streams, and names the failure in an event alone, where the descriptors have run out.
    if ((this.#child.stdio as unknown) === undefined)
      throw new Error('Claude Code cannot be started: too many files are open');
    this.#stderr = collectStderr(this.#child);
    // It may end before it has read everything.
    this.#child.stdin.on('error', () => {});
    this.child = toSdkChild(this.#child, () => void this.end());
    const { pid } = this.#child;
    const guard = pid === undefined ? undefined : startGuard(pid, mark);
    this.identity = pid === undefined ? undefined : identifyProcess(pid);
    this.gone = this.#exited.then(async () => {
      if (this.#ending !== undefined || hasFailed(this.#child)) await this.#clear();
      dismissGuard(await guard);
    });
  }

  /** The end of its error output, without secrets. */
  get stderr(): string {
    return redactSecrets(this.#stderr()).trim().slice(-STDERR_LIMIT);
  }

  /** Sends SIGTERM, at which it ends its tools too, and later SIGKILL. No process that it started is left then. */
  end(patienceMs = END_PATIENCE_MS): Promise<void> {
    this.#ending ??= this.#end(patienceMs);
    return this.#ending;
  }

  isGoneWithin(ms: number): Promise<boolean> {
    return isOverWithin(this.gone, ms);
  }

  async #end(patienceMs: number): Promise<void> {
    askToEnd((name) => this.#child.kill(name));
    if (!(await isOverWithin(this.#exited, patienceMs))) this.#kill();
    await this.#exited;
    await this.#clear();
  }

  #kill(): void {
    if (HAS_GROUPS && this.#child.pid !== undefined) sendSignal(-this.#child.pid, 'SIGKILL');
    this.#child.kill('SIGKILL');
  }

  /** After its exit: ends its tools, which have process groups of their own, and then the rest of its own group. */
  #clear(): Promise<void> {
    this.#clearing ??= endMarked(this.mark).then(() => this.#kill());
    return this.#clearing;
  }
}

function toSdkChild(child: ChildProcessWithoutNullStreams, onKill: () => void): SdkChild {
  return {
    stdin: child.stdin,
    stdout: child.stdout,
    pid: child.pid,
    get killed() {
      return child.killed;
    },
    get exitCode() {
      return child.exitCode;
    },
    get signalCode() {
      return child.signalCode;
    },
    kill() {
      onKill();
      return true;
    },
    on: child.on.bind(child),
    once: child.once.bind(child),
    off: child.off.bind(child),
  };
}

/** Returns a function that gives the last output, without a line or word that lacks its beginning. */
function collectStderr({ stderr }: ChildProcessWithoutNullStreams): () => string {
  let text = '';
  let isCut = false;
  stderr.setEncoding('utf8').on('data', (piece: string) => {
    const all = text + piece;
    isCut ||= all.length > STDERR_KEPT;
    text = all.slice(-STDERR_KEPT);
  });
  return () => (isCut ? text.replace(text.includes('\n') ? /^.*\n/ : /^\S*/, '') : text);
}

/** Killed, or ended with an error. Not if it could not be started. */
function hasFailed({ signalCode, exitCode }: ChildProcess): boolean {
  return signalCode !== null || (exitCode !== null && exitCode !== 0);
}

/** Resolves also if it could not be started; the reader of its output gets the reason. */
function whenExited(child: ChildProcess): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  child.once('exit', () => resolve());
  child.on('error', () => {
    if (child.pid === undefined) resolve();
  });
  return promise;
}

async function isOverWithin(over: Promise<void>, ms: number): Promise<boolean> {
  const waiting = new AbortController();
  const late = sleep(ms, false, { signal: waiting.signal }).catch(() => false);
  const isOver = await Promise.race([over.then(() => true), late]);
  waiting.abort();
  return isOver;
}
