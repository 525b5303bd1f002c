import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cases, HUNT } from '../../../../test/setup/hunt.ts';
import { IdTable } from '../../src/scan/id-table.ts';

const figure = fc.oneof(fc.nat(300), fc.constantFrom(0, 127, 128, 2 ** 32, 2 ** 53 - 1));

test('it knows the largest figures of each id, also after it was saved', HUNT, () => {
  const entry = fc.tuple(fc.constantFrom('a', 'b', 'ab', 'ba', 'é', ''), figure, figure, figure);
  fc.assert(
    fc.property(fc.array(entry), fc.nat(20), (entries, saveAt) => {
      let table = new IdTable();
      const known = new Map<string, [number, number, number]>();
      entries.forEach(([id, ...figures], index) => {
        if (index === saveAt) table = IdTable.restore(table.save());
        table.add(id, ...figures);
        const before = known.get(id) ?? [0, 0, 0];
        known.set(id, [0, 1, 2].map((i) => Math.max(before[i]!, figures[i]!)) as [number, number, number]);
      });
      const exact = [0, 1, 2].map((i) => [...known.values()].reduce((sum, one) => sum + BigInt(one[i]!), 0n));
      fc.pre(exact.every((sum) => sum <= BigInt(Number.MAX_SAFE_INTEGER)));
      expect(table.size).toBe(known.size);
      expect(table.sums.map(BigInt)).toEqual(exact);
    }),
    cases({ gate: 300, torture: 3000, seed: 5 }),
  );
});

test('similar ids are distinguished, and many need little memory', () => {
  const table = new IdTable();
  const ids = Array.from({ length: 100_000 }, (_, i) => `msg_01${String(i).padStart(22, '0')}`);
  for (const id of [...ids, ...ids]) table.add(id, 3, 20_000, 400);
  expect(table.size).toBe(ids.length);
  expect(table.sums).toEqual([300_000, 2_000_000_000, 40_000_000]);
  expect(table.save().length).toBeLessThan(25 * ids.length);
});

test('what many messages take of memory does not grow with their ids', () => {
  const before = process.memoryUsage();
  const table = new IdTable();
  for (let i = 0; i < 200_000; i++) table.add(`aaaaaaaa-aaaa-4aaa-8aaa-${i}`, 1, 1, 1);
  const { arrayBuffers } = process.memoryUsage();
  expect(table.size).toBe(200_000);
  expect((arrayBuffers - before.arrayBuffers) / table.size).toBeLessThan(100);
});
