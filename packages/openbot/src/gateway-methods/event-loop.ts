import { monitorEventLoopDelay } from 'node:perf_hooks';

export interface EventLoopDelays {
  readonly delayP99Ms: number;
  readonly delayMaxMs: number;
}

export interface WatchedEventLoop {
  read(): EventLoopDelays;
  close(): void;
}

const EVERY_MS = 20;
const WINDOW_MS = 60_000;

/** How late the event loop of this process was within the last minute, at least half of it. */
export function watchEventLoop(): WatchedEventLoop {
  let [older, newer] = [open(), open()];
  const timer = setInterval(() => {
    older.reset();
    [older, newer] = [newer, older];
  }, WINDOW_MS / 2).unref();
  return {
    read: () => ({ delayP99Ms: lateBy(older.percentile(99)), delayMaxMs: lateBy(older.max) }),
    close: () => {
      clearInterval(timer);
      for (const one of [older, newer]) one.disable();
    },
  };
}

function open() {
  const delays = monitorEventLoopDelay({ resolution: EVERY_MS });
  delays.enable();
  return delays;
}

/** What is counted is the time between two looks. */
function lateBy(ns: number): number {
  return Number.isFinite(ns) ? Math.max(0, Math.round(ns / 1e4 - EVERY_MS * 100) / 100) : 0;
}
