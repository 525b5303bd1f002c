import fc from 'fast-check';
import { expect } from 'vitest';
import { cases } from '../../../../test/setup/hunt.ts';
import type { Outbox } from '../../src/outbox/contract.ts';
import { outbound } from './outbound.ts';

/** The simplest thing that keeps the promises: a list. */
interface Row {
  key: string;
  to: string;
  state: 'waiting' | 'sending' | 'sent' | 'dead';
  at: number;
  owner?: string;
  tries: number;
  mayBeRepeat: boolean;
}

const KEYS = ['1', '2', '3', '4', '5', '6', '7', '8'];
const owner = fc.constantFrom('a', 'b');
const step = fc.oneof(
  fc.record({
    do: fc.constant('put' as const),
    keys: fc.uniqueArray(fc.constantFrom(...KEYS), { maxLength: 4 }),
  }),
  fc.record({ do: fc.constant('claim' as const), owner, limit: fc.integer({ min: 0, max: 3 }) }),
  fc.record({
    do: fc.constantFrom('sent' as const, 'retry' as const, 'dead' as const),
    key: fc.constantFrom(...KEYS),
    owner,
    mayHaveArrived: fc.boolean(),
  }),
);
const LEASE_MS = 5;

/** Random steps on an outbox and on a list, while time goes on. */
export async function checkAgainstModel(open: () => Promise<Outbox>): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const outbox = await open();
      const rows: Row[] = [];
      let now = 100;
      for (const one of steps) {
        now += 2;
        if (one.do === 'put') {
          for (const key of one.keys) {
            if (rows.some((row) => row.key === key)) continue;
            rows.push({ key, to: toOf(key), state: 'waiting', at: 0, tries: 0, mayBeRepeat: false });
          }
          await outbox.put(one.keys.map((key) => outbound(key, toOf(key), { createdAt: now })));
        } else if (one.do === 'claim') {
          const request = { channel: 'telegram', accountId: 'default', now, leaseMs: LEASE_MS };
          const given = await outbox.claim({ ...request, owner: one.owner, limit: one.limit });
          const expected = claimable(rows, now).slice(0, one.limit);
          for (const row of expected) {
            row.mayBeRepeat ||= row.state === 'sending';
            Object.assign(row, {
              state: 'sending',
              owner: one.owner,
              at: now + LEASE_MS,
              tries: row.tries + 1,
            });
          }
          expect(given.map(view)).toEqual(
            expected.map(({ key, tries, mayBeRepeat }) => [key, tries, mayBeRepeat]),
          );
        } else {
          const row = rows.find(({ key }) => key === one.key);
          const isOwn = row?.state === 'sending' && row.owner === one.owner;
          expect(await end(outbox, one, now)).toBe(isOwn);
          if (!isOwn) continue;
          if (one.do === 'retry') {
            row.mayBeRepeat ||= one.mayHaveArrived;
            Object.assign(row, { state: 'waiting', at: now + 3 });
          } else Object.assign(row, { state: one.do, at: now });
        }
        const count = (state: Row['state']) => rows.filter((row) => row.state === state).length;
        const counts = {
          waiting: count('waiting'),
          sending: count('sending'),
          sent: count('sent'),
          dead: count('dead'),
        };
        expect(await outbox.counts()).toEqual(counts);
      }
      await outbox.close();
    }),
    cases({ gate: 40, torture: 1000 }),
  );
}

function end(
  outbox: Outbox,
  step: { do: 'sent' | 'retry' | 'dead'; key: string; owner: string; mayHaveArrived: boolean },
  now: number,
): Promise<boolean> {
  const { key, owner, mayHaveArrived } = step;
  if (step.do === 'sent') return outbox.sent(key, owner, { at: now, ids: [] });
  if (step.do === 'dead') return outbox.dead(key, owner, { at: now, error: 'e' });
  return outbox.retry(key, owner, { error: 'e', nextTryAt: now + 3, mayHaveArrived });
}

const toOf = (key: string) => String(Number(key) % 3);
const view = ({ key, tries, mayBeRepeat }: Pick<Row, 'key' | 'tries' | 'mayBeRepeat'>) => [
  key,
  tries,
  mayBeRepeat,
];

function claimable(rows: readonly Row[], now: number): Row[] {
  return rows.filter((row, at) => {
    const isOpen = (one: Row) => one.state === 'waiting' || one.state === 'sending';
    const isFirst = !rows.slice(0, at).some((other) => other.to === row.to && isOpen(other));
    return isOpen(row) && isFirst && row.at <= now;
  });
}
