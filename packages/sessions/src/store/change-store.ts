import { AsyncLocalStorage } from 'node:async_hooks';
import { resolveFolderLinks } from '../disk/canonical-path.ts';
import { withResolvedLock } from '../disk/lock.ts';
import { isInsideLock } from '../disk/lock-queue.ts';
import { ChangeBatch, type StoreCallback } from './change-batch.ts';
import type { FileStoreOptions } from './commit-changes.ts';
import { locateStoreFile } from './read-store-file.ts';

/** A change that waits for its turn, or for another caller to take it along. */
interface Waiting {
  readonly options: FileStoreOptions;
  readonly run: (batch: ChangeBatch) => Promise<void>;
  /** Ends the waiting for the lock: the caller that has it makes this change too. */
  readonly taken: AbortController;
}

/** By name of the lock, in the order in which they came. */
const lines = new Map<string, Waiting[]>();
/** By name of the lock: what the callback that runs is part of. */
const batches = new Map<string, ChangeBatch>();

/** A reason without a stack, which would cost more than the change. */
const TAKEN = 'taken along';

/** Other processes get their turn in between. */
const MOST_TOGETHER = 100;

/**
 * Reads, changes and writes the store at `storePath` under its lock. Nothing is written when nothing changed. Changes that
 * wait at the same time are made one after another and written once.
 */
export async function changeStore<T>(
  storePath: string,
  options: FileStoreOptions,
  change: StoreCallback<T>,
): Promise<T> {
  const path = locateStoreFile(storePath);
  const name = resolveFolderLinks(`${path}.lock`);
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  // It may be rejected before it is looked at.
  promise.catch(() => {});
  if (isInsideLock(name)) {
    await withResolvedLock(name, options.lock ?? {}, (lock) =>
      changeInside(name, new ChangeBatch(path, name, options, lock), (batch) =>
        batch.run(change, resolve, reject, (run) => run()),
      ),
    );
    return promise;
  }
  // The callback runs in the flow of its caller, whichever caller has the lock: locks that it holds may be nested.
  const inFlow = AsyncLocalStorage.snapshot();
  const waiting: Waiting = {
    options,
    run: (batch) => batch.run(change, resolve, reject, inFlow),
    taken: new AbortController(),
  };
  const line = lines.get(name) ?? [];
  lines.set(name, line);
  line.push(waiting);
  const { lock: { signal, ...limits } = {} } = options;
  const stop = signal === undefined ? waiting.taken.signal : AbortSignal.any([signal, waiting.taken.signal]);
  let hasLock = false;
  const early = Promise.withResolvers<void>();
  const locked = withResolvedLock(name, { ...limits, signal: stop }, (lock) => {
    hasLock = true;
    leave(name, waiting);
    return changeTogether(name, waiting, new ChangeBatch(path, name, options, lock, early.resolve));
  });
  try {
    await Promise.race([locked, early.promise]);
  } catch (error) {
    // Why the change failed matters more than a lock that stays.
    if (hasLock) await promise;
    if (hasLock || leave(name, waiting)) throw error;
  }
  return promise;
}

/** False when another caller took it along. */
function leave(name: string, waiting: Waiting): boolean {
  const line = lines.get(name);
  const at = line?.indexOf(waiting) ?? -1;
  if (line === undefined || at < 0) return false;
  line.splice(at, 1);
  if (line.length === 0) lines.delete(name);
  return true;
}

async function changeTogether(name: string, first: Waiting, batch: ChangeBatch): Promise<void> {
  batches.set(name, batch);
  try {
    await first.run(batch);
    for (let count = 1; count < MOST_TOGETHER && batch.isSound; count++) {
      const next = lines.get(name)?.find((waiting) => isAlike(waiting.options, first.options));
      if (next === undefined) break;
      leave(name, next);
      next.taken.abort(TAKEN);
      await next.run(batch);
    }
    await batch.write();
  } finally {
    batches.delete(name);
  }
}

/** A change made inside the callback of another one. It sees what was changed before that callback, and is written at once. */
async function changeInside(
  name: string,
  batch: ChangeBatch,
  run: (batch: ChangeBatch) => Promise<void>,
): Promise<void> {
  const outer = batches.get(name);
  await outer?.interrupt();
  batches.set(name, batch);
  try {
    await run(batch);
    await batch.write();
  } finally {
    if (outer === undefined) batches.delete(name);
    else batches.set(name, outer);
  }
}

function isAlike(a: FileStoreOptions, b: FileStoreOptions): boolean {
  return a.io === b.io && a.cacheTtlMs === b.cacheTtlMs;
}
