import { expect, test } from 'vitest';
import { canonicalTarget } from '../../src/channels/spellings.ts';
import type { DeliveryTarget } from '../../src/outbox/contract.ts';
import { openMemoryState, openState } from '../../src/state/open-state.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

type Place = Pick<DeliveryTarget, 'to' | 'threadId'>;

const SAME: [string, string, ...Place[]][] = [
  ['telegram', 'telegram:777', { to: '777' }, { to: 'TG:777' }, { to: 'telegram:777' }],
  [
    'telegram',
    'telegram:-100:topic:42',
    { to: '-100', threadId: '42' },
    { to: 'telegram:group:-100:topic:42' },
    { to: '-100:42', threadId: 42 },
  ],
  ['telegram', 'telegram:-100', { to: '-100' }, { to: '-100', threadId: 1 }, { to: 'telegram:-100:topic:1' }],
  ['telegram', 'telegram:@news', { to: '@News' }, { to: 'telegram:@NEWS' }],
  ['discord', 'user:5', { to: 'discord:5' }, { to: '<@5>' }, { to: 'user:5' }],
  ['discord', 'channel:5', { to: '5' }, { to: 'discord:channel:5' }],
  ['whatsapp', 'whatsapp:+41791234567', { to: '+41 79 123 45 67' }, { to: 'whatsapp:41791234567' }],
  [
    'whatsapp',
    'whatsapp:+41791234567',
    { to: '41791234567@s.whatsapp.net' },
    { to: '41791234567:3@s.whatsapp.net' },
  ],
  ['webhook', 'webhook:crew', { to: 'crew', threadId: 7 }, { to: 'webhook:crew', threadId: '7' }],
];

const OTHER: [string, Place, Place][] = [
  ['telegram', { to: '777' }, { to: '778' }],
  ['telegram', { to: '-100', threadId: 3 }, { to: '-100', threadId: 2 }],
  ['telegram', { to: 'no chat' }, { to: 'No chat' }],
  ['discord', { to: 'user:5' }, { to: 'channel:5' }],
  ['whatsapp', { to: 'DE.Ab1' }, { to: 'DE.aB1' }],
  ['webhook', { to: 'me' }, { to: 'ME' }],
  ['webhook', { to: 'me' }, { to: 'me ' }],
  ['webhook', { to: 'webhook:me' }, { to: 'webhook:webhook:me' }],
];

const STATES = [
  ['memory', async () => openMemoryState()],
  ['sqlite', () => openState(makeTempFolder())],
] as const;

for (const [driver, open] of STATES) {
  const claimed = async (channel: string, places: readonly Place[]) => {
    const state = await open();
    const messages = places.map((place, at) => ({
      key: `k${at}`,
      agentId: 'main',
      sessionKey: 'agent:main:main',
      target: { channel, accountId: 'default', ...place },
      payload: { text: String(at) },
      createdAt: at,
    }));
    for (const message of messages) await state.outbox.put([message]);
    const request = { channel, accountId: 'default', owner: 'me', now: 100, leaseMs: 1000, limit: 10 };
    const first = await state.outbox.claim(request);
    await state.close();
    const [next] = first.map(({ target: { to, threadId } }) => ({
      to,
      ...(threadId !== undefined && { threadId }),
    }));
    expect(next).toEqual(places[0]);
    return first.length;
  };

  test.each(SAME)(`${driver}: one recipient, one order on %s: %s`, async (channel, to, ...places) => {
    expect(await claimed(channel, places as Place[])).toBe(1);
    expect(canonicalTarget({ channel, accountId: 'default', ...(places[0] as Place) }).to).toBe(to);
  });

  test.each(OTHER)(`${driver}: on %s %j is another recipient than %j`, async (channel, ...places) => {
    expect(await claimed(channel, places)).toBe(2);
  });
}
