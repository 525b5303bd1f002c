import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { cases, HUNT } from '../../../../test/setup/hunt.ts';
import type { OpenSessionEntry, SessionEntry } from '../../src/entry/session-entry.ts';
import type { SessionStore, StoreChange } from '../../src/store/contract.ts';
import { entry } from './stored.ts';

export type StoreDriver = {
  name: string;
  /** An empty store of its own for each call. */
  open(): SessionStore;
  /** A store that holds these values, entries or not. */
  openWith(values: Record<string, unknown>): SessionStore;
  /** Keys that this kind of store cannot hold, and why. */
  unkeepable?: { keys: readonly string[]; because: string };
  /** Keys that it takes. Any text. */
  anyKey?: fc.Arbitrary<string>;
  /** What an entry with these fields must have besides, for this kind of store to keep it. */
  complete?(value: Record<string, unknown>, key: string): Record<string, unknown>;
};

const oddKeys = [
  '__proto__',
  'constructor',
  'toString',
  '1',
  '007',
  'ключ',
  'a"b\\c',
  ' ',
  '\u2028',
  '\ud800',
  'é'.repeat(300),
];

/** What every store does, whatever it is kept in. */
export function describeStoreContract({
  name,
  open,
  openWith,
  unkeepable = { keys: [], because: '' },
  anyKey = fc.string({ minLength: 1 }),
  complete = (value) => value,
}: StoreDriver): void {
  describe(`${name} store`, () => {
    describe('reading', () => {
      test('an empty store has nothing', async () => {
        const store = open();
        expect(await store.get('agent:main:main')).toBeUndefined();
        expect(await store.list()).toEqual([]);
        expect(await store.listUnreadable()).toEqual([]);
      });

      test('entries come back equal, in the order they were made', async () => {
        const store = open();
        for (const key of ['b', '2', 'a', '1']) await store.update(key, () => entry(key));
        expect(await store.get('2')).toEqual(entry('2'));
        expect((await store.list()).map(({ key }) => key)).toEqual(['b', '2', 'a', '1']);
      });

      test('what is read cannot be changed, all the way down', async () => {
        const store = open();
        await store.update('k', () => entry('s', { origin: { provider: 'x' }, list: [{ deep: 1 }] }));
        const read = (await store.get('k')) as OpenSessionEntry;
        expect(() => {
          read.sessionId = 'changed';
        }).toThrow(TypeError);
        expect(() => {
          (read.list as { deep: number }[])[0]!.deep = 2;
        }).toThrow(TypeError);
        expect(await store.get('k')).toEqual(entry('s', { origin: { provider: 'x' }, list: [{ deep: 1 }] }));
        expect(Object.isFrozen((await store.list())[0]?.entry.origin)).toBe(true);
      });

      test('older spellings are read as the present ones', async () => {
        const store = openWith({
          k: entry('s', { chatType: 'dm', deliveryContext: { target: 'x', account: 'y' } }),
        });
        const present = entry('s', { chatType: 'direct', deliveryContext: { to: 'x', accountId: 'y' } });
        expect(await store.get('k')).toEqual(present);
        expect(await store.list()).toEqual([{ key: 'k', entry: present }]);
      });
    });

    describe('update', () => {
      test('gives the present entry and resolves to the new one', async () => {
        const store = open();
        expect(
          await store.update('k', (present) => {
            expect(present).toBeUndefined();
            return entry('s1');
          }),
        ).toEqual(entry('s1'));
        const second = await store.update('k', async (present) => {
          await sleep(1);
          return { ...present, sessionId: 's2', updatedAt: 2 };
        });
        expect(second).toEqual({ sessionId: 's2', updatedAt: 2 });
        expect(await store.get('k')).toEqual(second);
      });

      test.each([undefined, null])('that returns %s leaves the entry as it is', async (nothing) => {
        const store = open();
        expect(await store.update('k', () => nothing)).toBeUndefined();
        expect(await store.list()).toEqual([]);
        await store.update('k', () => entry('s'));
        expect(await store.update('k', () => nothing)).toEqual(entry('s'));
      });

      test('that throws changes nothing', async () => {
        const store = open();
        await store.update('k', () => entry('s'));
        const failing = store.update('k', () => {
          throw new Error('no');
        });
        await expect(failing).rejects.toThrow('no');
        expect(await store.get('k')).toEqual(entry('s'));
      });

      test('keeps fields it does not know', async () => {
        const store = openWith({ k: entry('s', { fromTheFuture: { a: [1, null, 'x'] }, __extra: true }) });
        await store.update('k', (present) => ({ ...present, label: 'mine' }) as SessionEntry);
        expect(await store.get('k')).toEqual(
          entry('s', { fromTheFuture: { a: [1, null, 'x'] }, __extra: true, label: 'mine' }),
        );
      });

      test('removes a field that is set to undefined', async () => {
        const store = openWith({ k: entry('s', { label: 'x' }) });
        const after = await store.update(
          'k',
          (present) => ({ ...present, label: undefined }) as SessionEntry,
        );
        expect(Object.keys(after ?? {})).toEqual(['sessionId', 'updatedAt']);
      });

      test('does not listen to the object it was given any more', async () => {
        const store = open();
        const mine = entry('s', { list: [1] }) as OpenSessionEntry;
        await store.update('k', () => mine);
        mine.sessionId = 'changed';
        (mine.list as number[]).push(2);
        expect(await store.get('k')).toEqual(entry('s', { list: [1] }));
      });

      test('never loses one of many at once', async () => {
        const store = open();
        const increment = () =>
          store.update('k', async (present) => {
            await sleep(0);
            return { sessionId: 's', updatedAt: (present?.updatedAt ?? 0) + 1 };
          });
        await Promise.all(Array.from({ length: 50 }, increment));
        expect((await store.get('k'))?.updatedAt).toBe(50);
      });

      test.each(unkeepable.keys)(`refuses %j for a key: ${unkeepable.because}`, async (key) => {
        const store = open();
        const update = store.update(key, () => entry('odd'));
        await expect(update).rejects.toMatchObject({ code: 'INVALID_SESSION_KEY' });
        expect(await store.list()).toEqual([]);
      });

      const keepable = oddKeys.filter((key) => !unkeepable.keys.includes(key));
      test.each(keepable)('takes %j for a key like any other', async (key) => {
        const store = open();
        await store.update('before', () => entry('b'));
        await store.update(key, () => entry('odd'));
        await store.update('after', () => entry('a'));
        expect(await store.get(key)).toEqual(entry('odd'));
        expect((await store.list()).map((stored) => stored.key)).toEqual(['before', key, 'after']);
        expect(await store.delete(key)).toBe(true);
        expect(await store.get(key)).toBeUndefined();
        expect((await store.list()).map((stored) => stored.key)).toEqual(['before', 'after']);
      });

      test.each([[[]], ['text'], [7], [true]])('refuses %j as an entry', async (value) => {
        const store = openWith({ k: entry('s') });
        const update = store.update('k', () => value as unknown as SessionEntry);
        await expect(update).rejects.toMatchObject({ code: 'STORE_ENTRY_INVALID' });
        expect(await store.get('k')).toEqual(entry('s'));
      });

      test('refuses what JSON cannot hold, and an empty key', async () => {
        const store = open();
        const cyclic: { self?: unknown } = {};
        cyclic.self = cyclic;
        await expect(store.update('k', () => entry('s', { cyclic }))).rejects.toMatchObject({
          code: 'STORE_ENTRY_INVALID',
        });
        await expect(store.update('k', () => entry('s', { big: 1n }))).rejects.toMatchObject({
          code: 'STORE_ENTRY_INVALID',
        });
        await expect(store.update('', () => entry('s'))).rejects.toMatchObject({
          code: 'INVALID_SESSION_KEY',
        });
        expect(await store.list()).toEqual([]);
      });

      test('any JSON in an entry comes back as JSON', HUNT, async () => {
        const store = open();
        await fc.assert(
          fc.asyncProperty(anyKey, fc.dictionary(fc.string(), fc.jsonValue()), async (key, fields) => {
            const value = complete(fields as Record<string, unknown>, key);
            const written = await store.update(key, () => value as unknown as SessionEntry);
            expect(JSON.parse(JSON.stringify(written))).toEqual(JSON.parse(JSON.stringify(value)));
            expect(await store.get(key)).toEqual(written);
          }),
          cases({ gate: 20, torture: 400 }),
        );
      });
    });

    describe('updateMany', () => {
      test('writes all or nothing', async () => {
        const store = openWith({ a: entry('a'), b: entry('b') });
        const failing = store.updateMany((draft) => {
          draft.set('a', entry('changed'));
          draft.delete('b');
          draft.set('c', entry('c'));
          throw new Error('half way');
        });
        await expect(failing).rejects.toThrow('half way');
        expect(await store.list()).toEqual([
          { key: 'a', entry: entry('a') },
          { key: 'b', entry: entry('b') },
        ]);
        const result = await store.updateMany(async (draft) => {
          draft.set('a', entry('changed'));
          draft.delete('b');
          draft.set('c', entry('c'));
          await sleep(1);
          return 'done';
        });
        expect(result).toBe('done');
        expect(await store.list()).toEqual([
          { key: 'a', entry: entry('changed') },
          { key: 'c', entry: entry('c') },
        ]);
      });

      test('sees its own changes', async () => {
        const store = openWith({ a: entry('a'), b: entry('b') });
        await store.updateMany((draft) => {
          draft.set('c', entry('c'));
          expect(draft.delete('a')).toBe(true);
          expect(draft.delete('a')).toBe(false);
          expect(draft.delete('never')).toBe(false);
          expect(draft.get('a')).toBeUndefined();
          expect(draft.get('c')).toEqual(entry('c'));
          expect(draft.list().map(({ key }) => key)).toEqual(['b', 'c']);
          expect(draft.delete('c')).toBe(true);
          draft.set('a', entry('again'));
          expect(Object.isFrozen(draft.get('a'))).toBe(true);
        });
        expect((await store.list()).map(({ entry: { sessionId } }) => sessionId)).toEqual(['again', 'b']);
      });

      test('is not seen by readers before it is done', async () => {
        const store = openWith({ a: entry('a') });
        await store.updateMany(async (draft) => {
          draft.set('a', entry('changed'));
          expect(await store.get('a')).toEqual(entry('a'));
        });
        expect(await store.get('a')).toEqual(entry('changed'));
      });

      test('closes its draft', async () => {
        const store = open();
        const kept = await store.updateMany((draft) => draft);
        expect(() => kept.set('a', entry('a'))).toThrow(
          expect.objectContaining({ code: 'INVALID_ARGUMENT' }),
        );
        expect(() => kept.delete('a')).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
      });
    });

    describe('nesting', () => {
      test('a change inside a change joins it', async () => {
        const store = open();
        await store.updateMany(async (draft) => {
          draft.set('outer', entry('outer'));
          await store.update('inner', () => entry('inner'));
          await Promise.all(['x', 'y', 'z'].map((key) => store.update(key, () => entry(key))));
        });
        expect((await store.list()).map(({ key }) => key).toSorted()).toEqual([
          'inner',
          'outer',
          'x',
          'y',
          'z',
        ]);
      });

      test('two changes of one entry, one inside the other, are a conflict', async () => {
        const store = openWith({ k: entry('s') });
        const outer = store.update('k', async (present) => {
          await store.update('k', () => entry('inner'));
          return { ...present, label: 'outer' } as SessionEntry;
        });
        await expect(outer).rejects.toMatchObject({ code: 'STORE_CONFLICT' });
        expect(await store.get('k')).toEqual(entry('inner'));
      });
    });

    describe('delete', () => {
      test('says whether there was something', async () => {
        const store = openWith({ a: entry('a') });
        expect(await store.delete('a')).toBe(true);
        expect(await store.delete('a')).toBe(false);
        expect(await store.list()).toEqual([]);
        await store.update('a', () => entry('new'));
        expect(await store.list()).toEqual([{ key: 'a', entry: entry('new') }]);
      });
    });

    describe('a value that is no entry', () => {
      test.each([[null], [[1]], ['text'], [0], [false]])(
        '%j is reported, kept, and only deleted on purpose',
        async (value) => {
          const store = openWith({ good: entry('g'), bad: value, other: entry('o') });
          expect((await store.list()).map(({ key }) => key)).toEqual(['good', 'other']);
          expect(await store.listUnreadable()).toEqual([{ key: 'bad', reason: expect.any(String) }]);
          await expect(store.get('bad')).rejects.toMatchObject({ code: 'STORE_ENTRY_INVALID' });
          await expect(store.update('bad', () => entry('new'))).rejects.toMatchObject({
            code: 'STORE_ENTRY_INVALID',
          });
          await store.update('good', () => entry('changed'));
          expect(await store.listUnreadable()).toHaveLength(1);
          expect(await store.delete('bad')).toBe(true);
          expect(await store.listUnreadable()).toEqual([]);
        },
      );
    });

    describe('watch', () => {
      const collect = () => {
        const updated = new Set<string>();
        const deleted = new Set<string>();
        const listener = (change: StoreChange) => {
          for (const key of change.updated) updated.add(key);
          for (const key of change.deleted) deleted.add(key);
        };
        return { updated, deleted, listener };
      };
      const until = async (condition: () => boolean) => {
        while (!condition()) await sleep(5);
      };

      test('reports updates and deletions until it is stopped', async () => {
        const store = openWith({ a: entry('a'), b: entry('b') });
        const seen = collect();
        const end = store.watch(seen.listener);
        await store.update('a', () => entry('a2'));
        await until(() => seen.updated.has('a'));
        await store.delete('b');
        await until(() => seen.deleted.has('b'));
        await store.update('c', () => entry('c'));
        await until(() => seen.updated.has('c'));
        expect([...seen.updated]).toEqual(['a', 'c']);
        expect([...seen.deleted]).toEqual(['b']);
        end();
        const witness = collect();
        const endWitness = store.watch(witness.listener);
        await store.update('late', () => entry('l'));
        await until(() => witness.updated.has('late'));
        expect(seen.updated.has('late')).toBe(false);
        endWitness();
        await store.close();
      });

      test('a listener that fails stops neither the process, the other listeners nor the next call', async () => {
        const warned: Error[] = [];
        const note = (warning: Error) => warned.push(warning);
        process.on('warning', note);
        onTestFinished(() => void process.off('warning', note));
        const store = openWith({ a: entry('a') });
        let calls = 0;
        store.watch(() => {
          calls++;
          throw new Error('made by the listener');
        });
        store.watch(async () => {
          throw new Error('made later by the listener');
        });
        const seen = collect();
        store.watch(seen.listener);
        await store.update('b', () => entry('b'));
        await until(() => calls === 1 && seen.updated.has('b') && warned.length === 2);
        await store.update('c', () => entry('c'));
        await until(() => calls === 2 && seen.updated.has('c') && warned.length === 4);
        expect(warned.map(({ message }) => message).toSorted()).toEqual([
          'A listener of a session store failed: made by the listener',
          'A listener of a session store failed: made by the listener',
          'A listener of a session store failed: made later by the listener',
          'A listener of a session store failed: made later by the listener',
        ]);
        await store.close();
      });

      test('says nothing of an update that changes nothing', async () => {
        const store = openWith({ a: entry('a') });
        const seen = collect();
        store.watch(seen.listener);
        await store.update('a', (present) => present);
        await store.update('a', (present) => ({ ...present }) as SessionEntry);
        await store.update('b', () => entry('b'));
        await until(() => seen.updated.has('b'));
        expect([...seen.updated]).toEqual(['b']);
        await store.close();
      });
    });
  });
}
