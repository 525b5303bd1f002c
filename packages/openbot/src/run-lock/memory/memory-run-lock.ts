import type { HeldRun, RunLock } from '../contract.ts';

interface Waiter {
  readonly start: () => void;
}

/** For tests, and for a bot of one process. Callers get the lock in the order in which they asked. */
export function openMemoryRunLock(now: () => number = Date.now): RunLock {
  const lines = new Map<string, Waiter[]>();
  const since = new Map<string, number>();

  const leave = (address: string, waiter: Waiter) => {
    const line = lines.get(address) ?? [];
    const wasFirst = line[0] === waiter;
    line.splice(line.indexOf(waiter), 1);
    if (line.length === 0) lines.delete(address);
    else if (wasFirst) line[0]!.start();
  };

  return {
    acquire: (address, { waitMs, signal }) =>
      new Promise<HeldRun | undefined>((resolve, reject) => {
        signal?.throwIfAborted();
        const line = lines.get(address) ?? [];
        lines.set(address, line);
        let isHeld = false;
        let timer: NodeJS.Timeout | undefined;
        const endWait = () => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', onAbort);
        };
        const waiter: Waiter = {
          start: () => {
            endWait();
            isHeld = true;
            since.set(address, now());
            const release = async () => {
              if (!isHeld) return;
              isHeld = false;
              leave(address, waiter);
            };
            resolve({ address, isHeld: () => isHeld, release });
          },
        };
        const onAbort = () => {
          endWait();
          leave(address, waiter);
          reject(signal?.reason);
        };
        const onTimeout = () => {
          endWait();
          leave(address, waiter);
          resolve(undefined);
        };
        line.push(waiter);
        if (line[0] === waiter) return waiter.start();
        signal?.addEventListener('abort', onAbort, { once: true });
        if (waitMs < LONGEST_TIMER_MS) timer = setTimeout(onTimeout, waitMs);
      }),
    holder: async (address) =>
      lines.has(address)
        ? { description: 'this process', since: since.get(address), isOwn: true }
        : undefined,
    running: async (addresses) =>
      new Map(
        [...addresses].filter((address) => lines.has(address)).map((address) => [address, process.pid]),
      ),
    close: async () => lines.clear(),
  };
}

const LONGEST_TIMER_MS = 2 ** 31 - 1;
