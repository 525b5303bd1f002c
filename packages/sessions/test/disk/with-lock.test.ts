import { existsSync, mkdirSync, renameSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { acquireLock, withLock } from '../../src/disk/lock.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

let path: string;
beforeEach(() => {
  path = join(makeTempFolder(), 'sessions.json.lock');
});

test('the lock is gone after the body, also when it throws', async () => {
  await expect(withLock(path, {}, () => 7)).resolves.toBe(7);
  await expect(
    withLock(path, {}, () => {
      throw new Error('inside');
    }),
  ).rejects.toThrow('inside');
  expect(existsSync(path)).toBe(false);
});

test('a nested call does not wait for itself', async () => {
  const value = await withLock(path, { timeoutMs: 50 }, async (outer) =>
    withLock(path, { timeoutMs: 50 }, async (inner) => {
      expect(inner.token).toBe(outer.token);
      return withLock(path, { timeoutMs: 50 }, () => 'deep');
    }),
  );
  expect(value).toBe('deep');
  expect(existsSync(path)).toBe(false);
});

test('nested calls at once run one after another', async () => {
  let inside = 0;
  await withLock(path, {}, () =>
    Promise.all(
      Array.from({ length: 8 }, () =>
        withLock(path, {}, async () => {
          expect(++inside).toBe(1);
          await sleep(2);
          inside--;
        }),
      ),
    ),
  );
});

test('a nested call that fails does not stop the next', async () => {
  await withLock(path, {}, async () => {
    const failed = withLock(path, {}, () => Promise.reject(new Error('first')));
    const second = withLock(path, {}, () => 'second');
    await expect(failed).rejects.toThrow('first');
    await expect(second).resolves.toBe('second');
  });
});

test('the lock is held until a nested call that was not awaited has ended', async () => {
  let nested: Promise<void> | undefined;
  await withLock(path, {}, () => {
    nested = withLock(path, {}, async (lock) => {
      await sleep(20);
      expect(lock.isHeld()).toBe(true);
    });
  });
  await nested;
});

test('a call that outlives its body has to queue', async () => {
  let late: Promise<boolean> | undefined;
  await withLock(path, {}, () => {
    late = sleep(20).then(() => withLock(path, {}, (lock) => lock.isHeld()));
  });
  const other = await acquireLock(path);
  let entered = false;
  void late?.then(() => {
    entered = true;
  });
  await sleep(50);
  expect(entered).toBe(false);
  await other.release();
  expect(await late).toBe(true);
});

test('acquiring by hand inside a locked body is refused rather than waited for', async () => {
  await withLock(path, {}, () =>
    expect(acquireLock(path)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' }),
  );
});

test('other locks are not affected by nesting', async () => {
  await withLock(path, {}, () => withLock(`${path}2`, {}, (lock) => expect(lock.path).toMatch(/lock2$/)));
});

describe('a lock whose file cannot be reached any more', () => {
  /** Its folder becomes a link to itself, so that every look at the file fails, also for root. */
  const loseFolder = () => {
    const folder = dirname(path);
    renameSync(folder, `${folder}-before`);
    symlinkSync(folder, folder);
  };
  beforeEach(() => {
    const folder = join(makeTempFolder(), 'locks');
    mkdirSync(folder);
    path = join(folder, 'sessions.json.lock');
  });

  test('is lost when its time is over, and release says that its file stays', async () => {
    const lock = await acquireLock(path, { maxHoldMs: 30 });
    loseFolder();
    await aborted(lock.signal);
    expect(lock.signal.reason).toMatchObject({
      code: 'LOCK_LOST',
      message: expect.stringContaining('30 ms'),
    });
    await expect(lock.release()).rejects.toMatchObject({
      code: 'LOCK_NOT_RELEASED',
      cause: { code: 'ELOOP' },
    });
  });

  test('is lost when it is to be kept fresh', async () => {
    const lock = await acquireLock(path, { staleMs: 30 });
    loseFolder();
    await aborted(lock.signal);
    expect(lock.signal.reason).toMatchObject({
      code: 'LOCK_LOST',
      message: expect.stringContaining('ELOOP'),
    });
    await expect(lock.release()).rejects.toMatchObject({ code: 'LOCK_NOT_RELEASED' });
  });
});

async function aborted(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) await sleep(5);
  // An error in the timer that aborted it would be thrown by now.
  await sleep(5);
}
