import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { redactSecrets } from '@openbot/sessions';
import type { ProcessIdentity } from '@openbot/sessions/disk';
import { dismissGuard, startGuard } from './claude-guard.ts';
import { identifyProcess } from './identify-process.ts';
import { endMarked, MARK_VARIABLE } from './marked-processes.ts';
import { type SdkChild, toSdkChild } from './sdk-child.ts';
import { askToEnd, sendSignal } from './send-signal.ts';

export interface ClaudeCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** All that it starts carries this in the environment. */
  readonly mark: string;
}

const HAS_GROUPS = process.platform !== 'win32';
const STDERR_LIMIT = 4096;
/** Secrets are looked for in more than is told: of one that was cut nobody knows what it is. */
const STDERR_KEPT = 16 * STDERR_LIMIT;
/** Long enough for tools to be ended; Claude Code itself takes up to three seconds. */
const END_PATIENCE_MS = 10_000;

/** One Claude Code, which never outlives this process. */
export class ClaudeProcess {
  readonly mark: string;
  readonly child: SdkChild;
  readonly identity: ProcessIdentity | undefined;
  /**
   * Resolves when it is gone, or could not be started. Where it was made to end, was killed or failed, nothing that it
   * started is left then. Where it ended well, what it left behind on purpose goes on, as it would in a terminal.
   */
  readonly gone: Promise<void>;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #exited: Promise<void>;
  #ending: Promise<void> | undefined;
  #clearing: Promise<void> | undefined;
  #stderr = '';
  #isStderrCut = false;

  constructor({ command, args, cwd, env, mark }: ClaudeCommand) {
    this.mark = mark;
    this.#child = spawn(command, args, {
      cwd,
      env: { ...env, [MARK_VARIABLE]: mark },
      stdio: ['pipe', 'pipe', 'pipe'],
      // Ctrl-C in a terminal is for this process, which then ends its own in an orderly way.
      detached: HAS_GROUPS,
      windowsHide: true,
    });
    this.#child.stderr.setEncoding('utf8').on('data', (piece: string) => {
      const text = this.#stderr + piece;
      this.#isStderrCut ||= text.length > STDERR_KEPT;
      this.#stderr = text.slice(-STDERR_KEPT);
    });
    // It may be gone before it has read everything.
    this.#child.stdin.on('error', () => {});
    this.child = toSdkChild(this.#child, () => void this.end());
    const { pid } = this.#child;
    const guard = pid === undefined ? undefined : startGuard(pid, mark);
    this.identity = pid === undefined ? undefined : identifyProcess(pid);
    this.#exited = whenExited(this.#child);
    this.gone = this.#exited.then(async () => {
      if (this.#ending !== undefined || hasFailed(this.#child)) await this.#clear();
      dismissGuard(guard);
    });
  }

  /** The last that it complained of, without secrets. */
  get stderr(): string {
    const text = this.#isStderrCut ? dropFirstLine(this.#stderr) : this.#stderr;
    return redactSecrets(text).trim().slice(-STDERR_LIMIT);
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
    askToEnd((name) => this.#child.kill(name));
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

/** Killed, or by itself. Not where it could not be started. */
function hasFailed({ signalCode, exitCode }: ChildProcess): boolean {
  return signalCode !== null || (exitCode !== null && exitCode !== 0);
}

/** The first line lacks its beginning; of a single line the first word does. */
function dropFirstLine(text: string): string {
  return text.replace(text.includes('\n') ? /^.*\n/ : /^\S*/, '');
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
