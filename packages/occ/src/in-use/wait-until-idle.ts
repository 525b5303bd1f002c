import { type Stats, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { reportProgress } from '@openbot/sessions';
import { isHolderAlive, type ProcessIdentity } from '@openbot/sessions/disk';
import { describeWait } from './decide-use.ts';
import { findLock, findUnfinished, findWriter } from './find-use.ts';
import { isRecent, type SessionUse, type UnfinishedUse } from './session-use.ts';

interface IdleWait {
  readonly waitMs: number;
  /** For how long it must have been idle. */
  readonly quietMs: number;
  /** How often to look. 100 ms; a wait of minutes looks less often. */
  readonly pollMs?: number;
  /** Whether only locks and open descriptors count. */
  readonly ignoreUnfinished?: boolean;
  /** While this process lives, an unfinished exchange counts at any age. */
  readonly runner?: Partial<ProcessIdentity>;
  /** A further lock, which is held during a whole run. */
  readonly runLockPath?: string;
  /** Asked at each look; false ends the wait. */
  readonly goOn?: () => boolean | Promise<boolean>;
}

export type IdleOutcome =
  | { readonly state: 'idle' }
  | { readonly state: 'in-use'; readonly use: SessionUse }
  /** `goOn` returned false. */
  | { readonly state: 'called-off' };

/** Waits until the transcript has been idle for `quietMs`, or until the time is over. */
export async function waitUntilIdle(path: string, wait: IdleWait): Promise<IdleOutcome> {
  const { waitMs, quietMs, pollMs = 100 } = wait;
  const watch = new UseWatch(path, wait);
  const started = performance.now();
  let quietSince: number | undefined;
  for (;;) {
    if (wait.goOn !== undefined && !(await wait.goOn())) return { state: 'called-off' };
    let use = await watch.look();
    const now = performance.now();
    const isOver = now - started >= waitMs;
    if (use !== undefined || watch.hasChanged) quietSince = undefined;
    if (use === undefined) {
      quietSince ??= now;
      if (isOver || now - quietSince >= quietMs) {
        use = await findWriter(path);
        if (use === undefined) {
          reportProgress({ waitingFor: undefined });
          return { state: 'idle' };
        }
        quietSince = undefined;
      }
    }
    if (use !== undefined && isOver) return { state: 'in-use', use };
    if (use !== undefined) reportProgress({ waitingFor: describeWait(use) });
    const pause = Math.min(nextPause(pollMs, now - started), quietLeft(quietSince, now, quietMs));
    await sleep(Math.max(1, isOver ? pause : Math.min(pause, waitMs - (now - started))));
  }
}

const LONGEST_PAUSE_MS = 2000;

function nextPause(pollMs: number, waitedMs: number): number {
  return Math.max(pollMs, Math.min(LONGEST_PAUSE_MS, waitedMs / 100));
}

function quietLeft(quietSince: number | undefined, now: number, quietMs: number): number {
  return quietSince === undefined ? Number.POSITIVE_INFINITY : quietSince + quietMs - now;
}

/** The end of the file is read again only when the file has changed. */
class UseWatch {
  readonly #path: string;
  readonly #wait: IdleWait;
  #seen: Stats | undefined;
  #unfinished: UnfinishedUse | undefined;
  /** Whether the file changed between the last two looks. */
  hasChanged = false;

  constructor(path: string, wait: IdleWait) {
    this.#path = path;
    this.#wait = wait;
  }

  async look(): Promise<SessionUse | undefined> {
    const lock = findLock(this.#path, this.#wait.runLockPath);
    const stat = statSync(this.#path, { throwIfNoEntry: false });
    const seen = this.#seen;
    // A file that is gone is idle; opening it reports that it is gone.
    if (stat === undefined) return lock;
    this.hasChanged = seen !== undefined && !isSameState(seen, stat);
    if (seen === undefined || this.hasChanged) {
      this.#unfinished = await findUnfinished(this.#path, { isRunning: true });
      this.#seen = stat;
    }
    if (lock !== undefined || this.#unfinished === undefined || this.#wait.ignoreUnfinished) return lock;
    const ageMs = Date.now() - stat.mtimeMs;
    return isRunning(this.#wait.runner) || isRecent(ageMs) ? { ...this.#unfinished, ageMs } : undefined;
  }
}

function isSameState(a: Stats, b: Stats): boolean {
  return a.ino === b.ino && a.size === b.size && a.mtimeMs === b.mtimeMs;
}

function isRunning(runner: IdleWait['runner']): boolean {
  return runner !== undefined && isHolderAlive(runner) !== 'dead';
}
