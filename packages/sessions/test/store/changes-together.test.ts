import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { AtomicWriteIo } from '../../src/disk/atomic-write.ts';
import { withLock } from '../../src/disk/lock.ts';
import { openFileSessionStore } from '../../src/store/file-store.ts';
import { updateSessionStore } from '../../src/store/store-by-path.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';
import { entry } from './stored.ts';

/** A store that counts its writes. */
function openCounted(io: Partial<AtomicWriteIo> = {}) {
  const path = join(makeTempFolder(), 'sessions.json');
  const counts = { writes: 0 };
  const countedRename: AtomicWriteIo['rename'] = async (from, to) => {
    await rename(from, to);
    counts.writes++;
  };
  const store = openFileSessionStore(path, { io: { rename: countedRename, ...io } });
  return { path, store, counts };
}

describe('changes that wait at the same time', () => {
  test('are written together, and each sees those before it', async () => {
    const { store, counts } = openCounted();
    const seen: number[] = [];
    await Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        store.update('k', (present) => {
          seen.push(present?.updatedAt ?? 0);
          return entry('s', { updatedAt: n + 1 });
        }),
      ),
    );
    expect(seen).toEqual(Array.from({ length: 60 }, (_, n) => n));
    expect((await store.get('k'))?.updatedAt).toBe(60);
    expect(counts.writes).toBeLessThanOrEqual(2);
  });

  test('one that throws loses its own changes and no others', async () => {
    const { store } = openCounted();
    const outcomes = await Promise.allSettled([
      store.update('a', () => entry('a')),
      store.updateMany((draft) => {
        draft.set('b', entry('b'));
        draft.delete('a');
        throw new Error('half way');
      }),
      store.updateMany((draft) => {
        expect(draft.list().map(({ key }) => key)).toEqual(['a']);
        draft.set('c', entry('c'));
      }),
      store.delete('a'),
      store.update('a', (present) => {
        expect(present).toBeUndefined();
        return entry('again');
      }),
      store.delete('never'),
    ]);
    expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual([
      true,
      false,
      true,
      true,
      true,
      true,
    ]);
    expect(outcomes[3]).toMatchObject({ value: true });
    expect(outcomes[5]).toMatchObject({ value: false });
    expect((await store.list()).map(({ key, entry: { sessionId } }) => [key, sessionId]).toSorted()).toEqual([
      ['a', 'again'],
      ['c', 'c'],
    ]);
  });

  test('all fail when the write fails, and the next ones do not', async () => {
    let isBroken = true;
    const { store } = openCounted({
      syncFile: async (handle) => {
        if (isBroken) throw Object.assign(new Error('EIO: made by the test'), { code: 'EIO' });
        await handle.sync();
      },
    });
    const outcomes = await Promise.allSettled(
      ['a', 'b', 'c'].map((key) => store.update(key, () => entry(key))),
    );
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'STORE_WRITE_FAILED' } });
    }
    expect(await store.list()).toEqual([]);
    isBroken = false;
    await Promise.all(['a', 'b'].map((key) => store.update(key, () => entry(key))));
    expect(await store.list()).toHaveLength(2);
  });

  test('one that takes long keeps those before it waiting no further', async () => {
    const { store } = openCounted();
    const gate = Promise.withResolvers<void>();
    const first = store.update('a', () => entry('a'));
    const slow = store.update('b', async () => {
      await gate.promise;
      return entry('b');
    });
    await first;
    expect(await store.get('a')).toEqual(entry('a'));
    expect(await store.get('b')).toBeUndefined();
    gate.resolve();
    await slow;
    expect(await store.list()).toHaveLength(2);
  });

  test('one may wait for the end of another that was asked for before it', async () => {
    const { store } = openCounted();
    const first = store.update('a', () => entry('a'));
    const second = store.update('b', async () => {
      await first;
      return entry('b');
    });
    await Promise.all([first, second]);
    expect(await store.list()).toHaveLength(2);
  });

  test('a change inside one of them sees those before it, and is there for those behind it', async () => {
    const { store } = openCounted();
    await Promise.all([
      store.update('a', () => entry('a')),
      store.updateMany(async (draft) => {
        draft.set('outer', entry('outer'));
        const inner = await store.update('inner', () => entry('inner'));
        expect(inner).toEqual(entry('inner'));
        expect(await store.get('a')).toEqual(entry('a'));
        await store.update('a', (present) => entry('a2', { was: present?.sessionId }));
      }),
      store.update('last', () => entry('last')),
      store.updateMany((draft) => {
        expect(draft.get('a')).toMatchObject({ sessionId: 'a2', was: 'a' });
        expect(draft.list()).toHaveLength(4);
      }),
    ]);
    expect((await store.list()).map(({ key }) => key).toSorted()).toEqual(['a', 'inner', 'last', 'outer']);
  });

  test('a conflict with a change inside it fails that one and no other', async () => {
    const { store } = openCounted();
    const outcomes = await Promise.allSettled([
      store.update('a', () => entry('a')),
      store.update('k', async () => {
        await store.update('k', () => entry('inner'));
        return entry('outer');
      }),
      store.update('b', () => entry('b')),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(outcomes[1]).toMatchObject({ reason: { code: 'STORE_CONFLICT' } });
    expect((await store.list()).map(({ entry: { sessionId } }) => sessionId).toSorted()).toEqual([
      'a',
      'b',
      'inner',
    ]);
  });

  test('callbacks keep the locks that their callers hold', async () => {
    const { path, store } = openCounted();
    const other = `${path}.other.lock`;
    const underLock = (key: string) =>
      withLock(`${other}.${key}`, {}, () =>
        store.update(key, () => withLock(`${other}.${key}`, { timeoutMs: 500 }, () => entry(key))),
      );
    await Promise.all(['a', 'b', 'c'].map(underLock));
    expect(await store.list()).toHaveLength(3);
  });

  test('one that gives up waiting is not made', async () => {
    const { path, store } = openCounted();
    const gate = Promise.withResolvers<void>();
    const holding = store.update('a', async () => {
      await gate.promise;
      return entry('a');
    });
    const impatient = openFileSessionStore(path, { lock: { timeoutMs: 20 } });
    const stop = new AbortController();
    const stopped = openFileSessionStore(path, { lock: { signal: stop.signal } });
    const ending = stopped.update('c', () => entry('c'));
    stop.abort(new Error('stopped'));
    await expect(ending).rejects.toThrow('stopped');
    await expect(impatient.update('b', () => entry('b'))).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' });
    gate.resolve();
    await holding;
    await sleep(10);
    expect((await store.list()).map(({ key }) => key)).toEqual(['a']);
  });

  test('the functions by path are among them', async () => {
    const path = join(makeTempFolder(), 'sessions.json');
    const store = openFileSessionStore(path);
    await Promise.all([
      store.update('a', () => entry('a')),
      updateSessionStore(path, (all) => {
        expect(Object.keys(all)).toEqual(['a']);
        all.b = entry('b');
        delete all.a;
      }),
      store.update('c', () => entry('c')),
    ]);
    expect((await store.list()).map(({ key }) => key)).toEqual(['b', 'c']);
  });
});
