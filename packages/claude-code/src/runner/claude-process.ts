import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessIdentity } from '@openbot/sessions';
import { dismissGuard, startGuard } from './claude-guard.ts';
import { identifyProcess } from './identify-process.ts';
import { endMarked, MARK_VARIABLE } from './marked-processes.ts';
import { type SdkChild, toSdkChild } from './sdk-child.ts';
import { sendSignal } from './send-signal.ts';

export interface ClaudeCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const HAS_GROUPS = process.platform !== 'win32';
const STDERR_LIMIT = 4096;
/** Long enough for tools to be ended; Claude Code itself takes up to three seconds. */
const END_PATIENCE_MS = 10_000;

/** One Claude Code, which never outlives this process. */
export class ClaudeProcess {
  /** All that it starts carries this in the environment. */
  readonly mark = randomUUID();
  readonly child: SdkChild;
  readonly identity: ProcessIdentity | undefined;
  /**
   * Resolves when it is gone, or could not be started. Where it was made to end, or was killed, nothing that it started is
   * left then. Where it ended by itself, what it left behind on purpose goes on, as it would in a terminal.
   */
  readonly gone: Promise<void>;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #exited: Promise<void>;
  #ending: Promise<void> | undefined;
  #clearing: Promise<void> | undefined;
  #stderr = '';

  constructor({ command, args, cwd, env }: ClaudeCommand) {
    this.#child = spawn(command, args, {
      ...(cwd === undefined ? {} : { cwd }),
      env: { ...env, [MARK_VARIABLE]: this.mark },
      stdio: ['pipe', 'pipe', 'pipe'],
      // Ctrl-C in a terminal is for this process, which then ends its own in an orderly way.
      detached: HAS_GROUPS,
      windowsHide: true,
    });
    this.#child.stderr.setEncoding('utf8').on('data', (piece: string) => {
      this.#stderr = (this.#stderr + piece).slice(-STDERR_LIMIT);
    });
    // It may be gone before it has read everything.
    this.#child.stdin.on('error', () => {});
    this.child = toSdkChild(this.#child, () => void this.end());
    const { pid } = this.#child;
    const guard = pid === undefined ? undefined : startGuard(pid, this.mark);
    this.identity = pid === undefined ? undefined : identifyProcess(pid);
    this.#exited = whenExited(this.#child);
    this.gone = this.#exited.then(async () => {
      if (this.#ending !== undefined || wasKilled(this.#child)) await this.#clear();
      dismissGuard(guard);
    });
  }

  /** The last that it complained of. */
  get stderr(): string {
    return this.#stderr.trim();
  }

  /** Asks it to end, which ends its tools too; makes it end where it does not. Nothing that it started is left then. */
  end(patienceMs = END_PATIENCE_MS): Promise<void> {
    this.#ending ??= this.#end(patienceMs);
    return this.#ending;
  }

  isGoneWithin(ms: number): Promise<boolean> {
    return isOverWithin(this.gone, ms);
  }

  async #end(patienceMs: number): Promise<void> {
    this.#child.kill('SIGTERM');
    // One that is stopped hears of it only when it is let go on.
    if (HAS_GROUPS) this.#child.kill('SIGCONT');
    if (!(await isOverWithin(this.#exited, patienceMs))) this.#kill();
    await this.#exited;
    await this.#clear();
  }

  #kill(): void {
    if (HAS_GROUPS && this.#child.pid !== undefined) sendSignal(-this.#child.pid, 'SIGKILL');
    this.#child.kill('SIGKILL');
  }

  /** Once it is gone: ends its tools, which are in groups of their own, and then what is left of its own group. */
  #clear(): Promise<void> {
    this.#clearing ??= endMarked(this.mark).then(() => this.#kill());
    return this.#clearing;
  }
}

/** Also where a script of the user's stands between: a shell tells the signal that its command died of by its own status. */
function wasKilled({ signalCode, exitCode }: ChildProcess): boolean {
  return signalCode !== null || (exitCode !== null && exitCode > 128);
}

/** Also when it could not be started; whoever reads its output is told why. */
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
