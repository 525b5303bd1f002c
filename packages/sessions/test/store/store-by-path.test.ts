import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import type { SessionEntry } from '../../src/entry/session-entry.ts';
import {
  loadSessionStore,
  readSessionUpdatedAt,
  saveSessionStore,
  updateSessionStore,
  updateSessionStoreEntry,
  withSessionStoreLock,
} from '../../src/store/store-by-path.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';
import { entry } from './stored.ts';

const fixture = new URL('../../../../fixtures/openclaw-files/2026.7.35/sessions.json', import.meta.url);

let path: string;
beforeEach(() => {
  path = join(makeTempFolder(), 'sessions.json');
});

const onDisk = () => JSON.parse(readFileSync(path, 'utf8'));

describe('loadSessionStore', () => {
  test('reads what OpenClaw wrote', () => {
    copyFileSync(fixture, path);
    expect({ ...loadSessionStore(path) }).toEqual(JSON.parse(readFileSync(fixture, 'utf8')));
  });

  test('a missing store is empty, and stays missing', () => {
    expect(loadSessionStore(path)).toEqual({});
    expect(existsSync(path)).toBe(false);
  });

  test('no text is found that is not a key', () => {
    writeFileSync(path, '{"__proto__":{"sessionId":"p"}}');
    const store = loadSessionStore(path);
    expect(store.constructor).toBeUndefined();
    expect(Object.entries(store)).toEqual([['__proto__', { sessionId: 'p' }]]);
  });
});

describe('saveSessionStore', () => {
  test('writes what OpenClaw would write', async () => {
    const store = { b: entry('b'), a: entry('a', { origin: { provider: 'x' } }) };
    await saveSessionStore(path, store);
    expect(readFileSync(path, 'utf8')).toBe(JSON.stringify(store, null, 2));
  });

  test('deletes what is missing and keeps the text of what is the same', async () => {
    writeFileSync(path, '{"gone":{"sessionId":"g"}, "same":{"sessionId":"s","chatType":"dm"}}');
    const store = loadSessionStore(path);
    delete store.gone;
    store.fresh = entry('f');
    await saveSessionStore(path, store);
    expect(onDisk()).toEqual({ same: { sessionId: 's', chatType: 'dm' }, fresh: entry('f') });
  });

  test('keeps values that are no entries', async () => {
    writeFileSync(path, '{"odd":[1],"k":{"sessionId":"s"}}');
    const store = loadSessionStore(path);
    store.k = entry('new');
    await saveSessionStore(path, store);
    expect(onDisk()).toEqual({ odd: [1], k: entry('new') });
  });
});

describe('updateSessionStore', () => {
  test('resolves to what the mutator returns, and the change is on disk', async () => {
    const result = await updateSessionStore(path, async (store) => {
      await sleep(1);
      store.k = { ...entry('s'), label: 'x' };
      return 42;
    });
    expect(result).toBe(42);
    expect(onDisk()).toEqual({ k: entry('s', { label: 'x' }) });
  });

  test('sees changes deep inside an entry, deletions, and fields set to undefined', async () => {
    writeFileSync(
      path,
      JSON.stringify({
        a: entry('a', { origin: { from: '1' } }),
        b: entry('b'),
        c: entry('c', { label: 'x' }),
      }),
    );
    await updateSessionStore(path, (store) => {
      store.a!.origin!.from = '2';
      delete store.b;
      store.c!.label = undefined;
    });
    expect(onDisk()).toEqual({ a: entry('a', { origin: { from: '2' } }), c: entry('c') });
  });

  test('a mutator that throws changes nothing', async () => {
    writeFileSync(path, JSON.stringify({ a: entry('a') }));
    const failing = updateSessionStore(path, (store) => {
      store.a!.sessionId = 'changed';
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(onDisk()).toEqual({ a: entry('a') });
    expect(loadSessionStore(path)).toEqual({ a: entry('a') });
  });

  test('many at once lose nothing', async () => {
    await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        updateSessionStore(path, (store) => {
          store[`k${n % 4}`] = { ...entry('s'), updatedAt: (store[`k${n % 4}`]?.updatedAt ?? 0) + 1 };
        }),
      ),
    );
    expect(Object.values(onDisk()).map((stored) => (stored as SessionEntry).updatedAt)).toEqual([
      10, 10, 10, 10,
    ]);
    expect(readdirSync(dirname(path))).toEqual(['sessions.json']);
  });
});

describe('updateSessionStoreEntry', () => {
  test('merges, keeps what it does not know, and moves updatedAt on', async () => {
    writeFileSync(path, JSON.stringify({ k: entry('s', { fromTheFuture: [1] }) }));
    const before = Date.now();
    const updated = await updateSessionStoreEntry({
      storePath: path,
      sessionKey: 'k',
      update: async (present) => {
        present.sessionId = 'changing the copy changes nothing';
        return { label: 'x' };
      },
    });
    expect(updated).toEqual(entry('s', { fromTheFuture: [1], label: 'x', updatedAt: expect.any(Number) }));
    expect(updated?.updatedAt).toBeGreaterThanOrEqual(before);
    expect(onDisk()).toEqual({ k: updated });
  });

  test('a clock that went back does not take updatedAt back', async () => {
    const future = Date.now() + 86_400_000;
    writeFileSync(path, JSON.stringify({ k: { sessionId: 's', updatedAt: future } }));
    const updated = await updateSessionStoreEntry({
      storePath: path,
      sessionKey: 'k',
      update: () => ({ label: 'x' }),
    });
    expect(updated?.updatedAt).toBe(future);
  });

  test('null for a key that is not there, and for no change the entry as it is', async () => {
    writeFileSync(path, JSON.stringify({ k: entry('s') }));
    const update = (sessionKey: string) =>
      updateSessionStoreEntry({ storePath: path, sessionKey, update: () => null });
    expect(await update('missing')).toBeNull();
    expect(await update('k')).toEqual(entry('s'));
    expect(onDisk()).toEqual({ k: entry('s') });
  });
});

describe('withSessionStoreLock', () => {
  test('keeps others out, and lets the functions of this module in', async () => {
    const order: string[] = [];
    let enter = () => {};
    const entered = new Promise<void>((resolve) => {
      enter = resolve;
    });
    const outside = entered.then(() => updateSessionStore(path, () => order.push('outside')));
    await withSessionStoreLock(path, async () => {
      enter();
      await updateSessionStore(path, (store) => {
        store.k = entry('s');
      });
      const store = loadSessionStore(path);
      store.n = entry('n');
      await saveSessionStore(path, store);
      await sleep(30);
      order.push('inside');
    });
    await outside;
    expect(order).toEqual(['inside', 'outside']);
    expect(onDisk()).toEqual({ k: entry('s'), n: entry('n') });
  });

  test('waits for the same lock that others take', async () => {
    writeFileSync(`${path}.lock`, '');
    await expect(withSessionStoreLock(path, () => {}, { timeoutMs: 30 })).rejects.toMatchObject({
      code: 'LOCK_TIMEOUT',
    });
  });
});

test('readSessionUpdatedAt reads one time', () => {
  writeFileSync(
    path,
    JSON.stringify({ k: entry('s', { updatedAt: 77 }), odd: { sessionId: 'x', updatedAt: 'now' } }),
  );
  expect(readSessionUpdatedAt({ storePath: path, sessionKey: 'k' })).toBe(77);
  expect(readSessionUpdatedAt({ storePath: path, sessionKey: 'odd' })).toBeUndefined();
  expect(readSessionUpdatedAt({ storePath: path, sessionKey: 'missing' })).toBeUndefined();
});
