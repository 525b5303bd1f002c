import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { HeldRun, RunLock } from '../../src/run-lock/contract.ts';

const KEY = 'agent:main:telegram:dm:42';
const LONG = { waitMs: 60_000 };

/** What every run lock does, whatever it is kept in. */
export function describeRunLockContract(name: string, open: () => RunLock): void {
  describe(`${name} run lock`, () => {
    test('one run at a time, and another session meanwhile', async () => {
      const locks = open();
      const held = (await locks.acquire(KEY, LONG))!;
      expect(held.address).toBe(KEY);
      expect(held.isHeld()).toBe(true);
      expect(await locks.acquire(KEY, { waitMs: 0 })).toBeUndefined();
      expect(await locks.acquire(KEY, { waitMs: 30 })).toBeUndefined();
      const other = (await locks.acquire('agent:main:telegram:dm:43', { waitMs: 0 }))!;
      await other.release();
      await held.release();
      expect(held.isHeld()).toBe(false);
      const next = (await locks.acquire(KEY, { waitMs: 0 }))!;
      expect(next.isHeld()).toBe(true);
      await held.release();
      expect(next.isHeld()).toBe(true);
      await next.release();
    });

    test('callers get it in the order in which they asked', async () => {
      const locks = open();
      const order: number[] = [];
      let running = 0;
      await Promise.all(
        Array.from({ length: 20 }, async (_, n) => {
          const held = (await locks.acquire(KEY, LONG))!;
          expect(++running).toBe(1);
          order.push(n);
          await sleep(1);
          running--;
          await held.release();
        }),
      );
      expect(order).toEqual(Array.from({ length: 20 }, (_, n) => n));
    });

    test('waiting ends with the reason of the signal', async () => {
      const locks = open();
      const held = (await locks.acquire(KEY, LONG))!;
      const reason = new Error('interrupted');
      const stop = new AbortController();
      const waiting = locks.acquire(KEY, { ...LONG, signal: stop.signal });
      const behind = locks.acquire(KEY, LONG);
      stop.abort(reason);
      await expect(waiting).rejects.toBe(reason);
      await expect(locks.acquire(KEY, { ...LONG, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
      await held.release();
      await (await behind)!.release();
    });

    test('one that gave up does not keep the next one waiting', async () => {
      const locks = open();
      const held = (await locks.acquire(KEY, LONG))!;
      const impatient = locks.acquire(KEY, { waitMs: 5 });
      const patient = locks.acquire(KEY, LONG);
      expect(await impatient).toBeUndefined();
      await held.release();
      expect((await patient)?.isHeld()).toBe(true);
      await (await patient)?.release();
    });

    test('tells who holds it', async () => {
      const locks = open();
      const before = Date.now();
      expect(await locks.holder(KEY)).toBeUndefined();
      const held = (await locks.acquire(KEY, LONG))!;
      const holder = (await locks.holder(KEY))!;
      expect(holder.description).toContain('this process');
      expect(holder.isOwn).toBe(true);
      expect([...(await locks.running(['agent:main:other', KEY]))]).toEqual([[KEY, process.pid]]);
      expect(holder.since).toBeGreaterThanOrEqual(before - 1);
      await held.release();
      expect(await locks.holder(KEY)).toBeUndefined();
    });

    test('any text can be a key', async () => {
      const locks = open();
      const keys = [
        'global',
        'agent:main:x/../../y',
        'agent:main:a b',
        'agent:main:a-b',
        `agent:main:${'ü'.repeat(500)}`,
      ];
      const runs = (await Promise.all(keys.map((key) => locks.acquire(key, { waitMs: 0 })))) as HeldRun[];
      expect(runs.map((run) => run.isHeld())).toEqual(keys.map(() => true));
      for (const run of runs) await run.release();
    });
  });
}
