import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessIdentity } from '@openbot/sessions';
import { identifyProcess } from './identify-process.ts';

export interface ClaudeCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const HAS_GROUPS = process.platform !== 'win32';
const STDERR_LIMIT = 4096;

/** One Claude Code, which never outlives this process. */
export class ClaudeProcess {
  readonly child: ChildProcessWithoutNullStreams;
  readonly identity: ProcessIdentity | undefined;
  /** Resolves when it is gone, or could not be started. */
  readonly gone: Promise<void>;
  #stderr = '';

  constructor({ command, args, cwd, env }: ClaudeCommand) {
    this.child = spawn(command, args, {
      ...(cwd === undefined ? {} : { cwd }),
      env,
      stdio: ['pipe', 'pipe', 'pipe'],
      // Ctrl-C in a terminal is for this process, which then ends its own in an orderly way.
      detached: HAS_GROUPS,
      windowsHide: true,
    });
    this.child.stderr.setEncoding('utf8').on('data', (piece: string) => {
      this.#stderr = (this.#stderr + piece).slice(-STDERR_LIMIT);
    });
    // It may be gone before it has read everything.
    this.child.stdin.on('error', () => {});
    const { pid } = this.child;
    const guard = pid === undefined ? undefined : startGuard(pid);
    this.identity = pid === undefined ? undefined : identifyProcess(pid);
    this.gone = whenGone(this.child).then(() => dismissGuard(guard));
  }

  /** The last that it complained of. */
  get stderr(): string {
    return this.#stderr.trim();
  }

  /** Asks it to end, which ends its tools too; makes it end where it does not. */
  async end(patienceMs: number): Promise<void> {
    this.child.kill('SIGTERM');
    if (await this.isGoneWithin(patienceMs)) return;
    killGroup(this.child);
    await this.gone;
  }

  async isGoneWithin(ms: number): Promise<boolean> {
    const waiting = new AbortController();
    const late = sleep(ms, false, { signal: waiting.signal }).catch(() => false);
    const isGone = await Promise.race([this.gone.then(() => true), late]);
    waiting.abort();
    return isGone;
  }
}

async function whenGone(child: ChildProcess): Promise<void> {
  try {
    await once(child, 'exit');
  } catch {
    // It could not be started; whoever reads its output is told why.
  }
}

function killGroup(child: ChildProcess): void {
  try {
    if (HAS_GROUPS && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    else child.kill('SIGKILL');
  } catch {
    // It ended just now.
  }
}

/**
 * When this process is killed, Claude Code would finish its turn, tools and all, with nobody to see it. A shell waits for
 * a word that all is well; the end of its input without one is the death of this process.
 */
const GUARD = `read -r word && exit 0
kill -TERM "$1" 2>/dev/null || exit 0
for wait in 1 2 3 4 5 6 7 8 9 10; do sleep 1; kill -0 "$1" 2>/dev/null || exit 0; done
kill -KILL "-$1"`;

function startGuard(pid: number): ChildProcess | undefined {
  if (!HAS_GROUPS) return undefined;
  const guard = spawn('/bin/sh', ['-c', GUARD, 'openbot-guard', String(pid)], {
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  // Without a shell there is no guard; the run is none the worse.
  guard.on('error', () => {});
  guard.stdin?.on('error', () => {});
  guard.unref();
  return guard;
}

function dismissGuard(guard: ChildProcess | undefined): void {
  guard?.stdin?.end('done\n');
}
