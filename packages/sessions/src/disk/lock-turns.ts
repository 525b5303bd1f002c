/**
 * Inside one process, callers of the same lock take turns in the order they came, without touching the disk. Between
 * processes there is no order, so a process that had a wanted lock for a while steps back for a moment.
 */
type Waiter = { start: () => void };

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
