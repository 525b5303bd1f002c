import { AsyncLocalStorage } from 'node:async_hooks';

export type Releasable = { release(): Promise<void> };

/** One locked body that is running, as seen from the calls made inside it. */
type LockFlow = {
  name: string;
  lock: Releasable;
  outer: LockFlow | undefined;
  running: boolean;
  /** Ends when the nested calls so far have ended. */
  inner: Promise<unknown>;
};

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
  try {
    return await runBody(name, lock, outer, body);
  } finally {
    await lock.release();
  }
}

/** Whether the caller runs inside a body that has the lock of that name. */
export function isInsideLock(name: string): boolean {
  return findFlow(name) !== undefined;
}

function findFlow(name: string): LockFlow | undefined {
  // What a finished body left running must queue like everybody else: the lock is no longer its own.
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
