import { expect, test } from 'vitest';
import type { DeliveryReceipt } from '../../src/channels/contract.ts';
import { takeReceipt } from '../../src/delivery/take-receipt.ts';
import { openMemoryOutbox } from '../../src/outbox/memory/memory-outbox.ts';
import { outbound } from '../outbox/outbound.ts';

const ACCOUNT = { name: 'telegram', accountId: 'default' };

/** A reply of three messages that the network has taken. */
async function setUp() {
  let now = 1000;
  const outbox = openMemoryOutbox();
  const dead: string[] = [];
  await outbox.put([outbound('1', '42', { createdAt: now })]);
  const claim = () =>
    outbox.claim({ channel: 'telegram', accountId: 'default', owner: 'me', now, leaseMs: 50, limit: 1 });
  const take = (receipt: Partial<DeliveryReceipt>) =>
    takeReceipt(
      { outbox, now: () => now, onPut: () => {}, onDead: (_, error) => dead.push(error) },
      ACCOUNT,
      { id: 'b', state: 'failed', error: 'busy', ...receipt },
    );
  await claim();
  await outbox.sent('1', 'me', { at: now, ids: ['a', 'b'] });
  return { outbox, dead, claim, take, pass: (ms: number) => (now += ms) };
}

test('what the network gave up for now is sent again, behind the parts that arrived', async () => {
  const { outbox, dead, claim, take, pass } = await setUp();
  await take({ retryAfterMs: 7000 });
  expect(await outbox.get('1')).toMatchObject({ state: 'waiting', nextTryAt: 8000, error: 'busy' });
  expect(dead).toEqual([]);
  pass(7000);
  expect(await claim()).toMatchObject([{ key: '1', mayBeRepeat: false, parts: { ids: ['a'] } }]);
  await outbox.sent('1', 'me', { at: 8001, ids: ['a', 'c'] });
  // The network says again what it said of the earlier try.
  await take({ key: '1', retryAfterMs: 7000 });
  expect(await outbox.get('1')).toMatchObject({ state: 'sent', ids: ['a', 'c'] });
});

test('what it gave up for good, or for too long, is a dead letter', async () => {
  const one = await setUp();
  await one.take({});
  expect(one.dead).toEqual(['busy']);
  expect(await one.outbox.get('1')).toMatchObject({ state: 'dead', parts: { ids: ['a'] } });
  const other = await setUp();
  other.pass(24 * 3_600_000);
  await other.take({ retryAfterMs: 7000 });
  expect(other.dead).toEqual([expect.stringMatching(/busy \(given up: .* more than 24 hours late\)/)]);
});
