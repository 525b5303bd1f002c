import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { pruneSometimes } from '../../src/bot/prune-sometimes.ts';
import { keepMedia } from '../../src/media/keep-media.ts';
import { openMemoryState } from '../../src/state/open-state.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

const DAY_MS = 24 * 3_600_000;
/** Of a busy machine. */
const SOON_ENOUGH = { timeout: 60_000 };
const PLACE = { config: {}, stateDir: '/nowhere' };

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

  pruneSometimes(state, PLACE, 100, 29 * DAY_MS);
  pruneSometimes(state, PLACE, 101, 31 * DAY_MS);
  expect(await state.inbox.get(message.seq)).toBeDefined();
  pruneSometimes(state, PLACE, 200, 31 * DAY_MS);
  await expect.poll(() => state.inbox.get(message.seq), SOON_ENOUGH).toBeUndefined();
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
  pruneSometimes(state, PLACE, 100, 4 * DAY_MS);
  await expect.poll(dead, SOON_ENOUGH).toEqual(['chat']);
  pruneSometimes(state, PLACE, 200, 91 * DAY_MS);
  await expect.poll(dead, SOON_ENOUGH).toEqual([]);
  await state.close();
});

test('files of messages are kept for as long as the setting says', async () => {
  const state = openMemoryState();
  const stateDir = makeTempFolder();
  const { path } = await keepMedia({ stateDir, maxBytes: 100 }, { bytes: [Buffer.from('words')] });
  const place = { stateDir, config: { attachments: { ttlHours: 48 } } };
  pruneSometimes(state, place, 100, Date.now() + DAY_MS);
  pruneSometimes(state, place, 101, Date.now() + 3 * DAY_MS);
  expect(existsSync(path)).toBe(true);
  pruneSometimes(state, place, 200, Date.now() + 3 * DAY_MS);
  await expect.poll(() => existsSync(path), SOON_ENOUGH).toBe(false);
  await state.close();
});
