import { AsyncLocalStorage } from 'node:async_hooks';

interface Releasable {
  release(): Promise<void>;
}

/** One locked body that is running, as seen from the calls made inside it. */
interface LockFlow {
  name: string;
  lock: Releasable;
  outer: LockFlow | undefined;
  running: boolean;
  /** Ends when the nested calls so far have ended. */
  inner: Promise<unknown>;
}

const flows = new AsyncLocalStorage<LockFlow>();

/**
 * Runs `body` with the lock of that name. In the async flow of a body that already has it the lock is not acquired
 * again: nested bodies run inside the held lock, one after another.
 */
export async function runLocked<L extends Releasable, T>(
  name: string,
  acquire: () => Promise<L>,
  body: (lock: L) => T | Promise<T>,
): Promise<T> {
  const outer = flows.getStore();
  const holder = findFlow(name);
  if (holder !== undefined) {
    const turn = holder.inner.then(() => runBody(name, holder.lock as L, outer, body));
    holder.inner = turn.catch(() => {});
    return turn;
  }
  const lock = await acquire();
  let result: T;
  try {
    result = await runBody(name, lock, outer, body);
  } catch (error) {
    // Why the body failed matters more than a lock that stays.
    await lock.release().catch(() => {});
    throw error;
  }
  await lock.release();
  return result;
}

/** Runs `body` as one that has this lock, which the caller holds for it. */
export function runInLock<L extends Releasable, T>(
  name: string,
  lock: L,
  body: (lock: L) => T | Promise<T>,
): Promise<T> {
  return runBody(name, lock, flows.getStore(), body);
}

/** Whether the caller runs inside a body that has the lock of that name. */
export function isInsideLock(name: string): boolean {
  return findFlow(name) !== undefined;
}

function findFlow(name: string): LockFlow | undefined {
  // What a finished body left running must queue like any other caller: it no longer holds the lock.
  for (let at = flows.getStore(); at !== undefined; at = at.outer)
    if (at.running && at.name === name) return at;
  return undefined;
}

async function runBody<L extends Releasable, T>(
  name: string,
  lock: L,
  outer: LockFlow | undefined,
  body: (lock: L) => T | Promise<T>,
): Promise<T> {
  const flow: LockFlow = { name, lock, outer, running: true, inner: Promise.resolve() };
  try {
    return await flows.run(flow, async () => body(lock));
  } finally {
    flow.running = false;
    // A nested call that the body did not wait for still needs the lock.
    await flow.inner;
  }
}

/**
 * Inside one process, callers of the same lock take turns in the order they came, without touching the disk. Between
 * processes there is no order, so a process that had a wanted lock for a while steps back for a moment.
 */
interface Waiter {
  start: () => void;
}

const lines = new Map<string, Waiter[]>();

/** Resolves to the function that ends the turn. Rejects with what `giveUp` returns when the time is over. */
export function takeTurn(
  path: string,
  timeoutMs: number,
  signal: AbortSignal | undefined,
  giveUp: () => Error,
): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const own = lines.get(path) ?? [];
    lines.set(path, own);
    let timer: NodeJS.Timeout | undefined;
    const forget = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    };
    const leave = (reason: unknown) => {
      forget();
      own.splice(own.indexOf(waiter), 1);
      reject(reason);
    };
    const onAbort = () => leave(signal?.reason);
    const waiter: Waiter = {
      start: () => {
        forget();
        resolve(() => endTurn(path, own, waiter));
      },
    };
    own.push(waiter);
    if (own[0] === waiter) return waiter.start();
    signal?.addEventListener('abort', onAbort, { once: true });
    if (timeoutMs < MAX_TIMER_MS) timer = setTimeout(() => leave(giveUp()), timeoutMs);
    return undefined;
  });
}

const MAX_TIMER_MS = 2 ** 31 - 1;

function endTurn(path: string, line: Waiter[], waiter: Waiter): void {
  if (line[0] !== waiter) return;
  line.shift();
  if (line[0] === undefined) lines.delete(path);
  else line[0].start();
}

// Long enough to be worth the hand-over, short enough that a dozen processes all come in well before they give up.
const LONGEST_STREAK_MS = 50;

const streaks = new Map<string, { since: number; stepBack: boolean }>();

/** Called after each release; `wanted` says that another process was seen waiting. */
export function noteRelease(path: string, wanted: boolean, heldSince: number): void {
  if (!wanted) {
    streaks.delete(path);
    return;
  }
  const streak = streaks.get(path) ?? { since: heldSince, stepBack: false };
  streak.stepBack = performance.now() - streak.since > LONGEST_STREAK_MS;
  streaks.set(path, streak);
}

/** Whether this process should now let another one in. Asking ends the streak. */
export function shouldStepBack(path: string): boolean {
  const streak = streaks.get(path);
  if (streak?.stepBack) streaks.delete(path);
  return streak?.stepBack ?? false;
}

/** Another process had the lock since. */
export function endStreak(path: string): void {
  streaks.delete(path);
}
