import { expect, test } from 'vitest';
import { pruneSometimes } from '../../src/bot/prune-sometimes.ts';
import { openMemoryState } from '../../src/state/open-state.ts';

const DAY_MS = 24 * 3_600_000;

test('messages with an end are removed after a month, those that wait are not', async () => {
  const state = openMemoryState();
  const accept = (messageId: string) =>
    state.inbox.accept({
      identity: { channel: 'chat', accountId: 'default', conversationId: 'c', messageId },
      agentId: 'main',
      sessionKey: 'agent:main:main',
      ctx: { RawBody: messageId },
      receivedAt: 0,
    });
  const { message } = await accept('old');
  await accept('waiting');
  await state.inbox.move([message.seq], { state: 'answered', turnId: 't' });

  pruneSometimes(state, 100, 29 * DAY_MS);
  pruneSometimes(state, 101, 31 * DAY_MS);
  expect(await state.inbox.get(message.seq)).toBeDefined();
  pruneSometimes(state, 200, 31 * DAY_MS);
  await expect.poll(() => state.inbox.get(message.seq)).toBeUndefined();
  expect(await state.inbox.waiting({ agentId: 'main', sessionKey: 'agent:main:main' })).toHaveLength(1);
  await state.close();
});

test('dead letters are kept for 90 days, those of local commands for some', async () => {
  const state = openMemoryState();
  for (const channel of ['chat', 'cli']) {
    const target = { channel, accountId: 'default', to: 'c' };
    const session = { agentId: 'main', sessionKey: 'agent:main:main' };
    await state.outbox.put([{ ...session, key: channel, target, payload: { text: 'hi' }, createdAt: 0 }]);
    const claim = { channel, accountId: 'default', owner: 'me', now: 0, leaseMs: 1, limit: 1 };
    await state.outbox.claim(claim);
    await state.outbox.dead(channel, 'me', { error: 'gone', at: 0 });
  }
  const dead = async () => (await state.outbox.listDead(9)).map(({ key }) => key);
  pruneSometimes(state, 100, 4 * DAY_MS);
  await expect.poll(dead).toEqual(['chat']);
  pruneSometimes(state, 200, 91 * DAY_MS);
  await expect.poll(dead).toEqual([]);
  await state.close();
});
