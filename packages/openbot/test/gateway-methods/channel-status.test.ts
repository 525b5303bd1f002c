import { PLAIN_PALETTE } from '@openbot/sessions/terminal-text';
import { expect, test } from 'vitest';
import { describeOpened } from '../../src/agent-host/channel-keeper.ts';
import type { ChannelHealth } from '../../src/channels/contract.ts';
import { MemoryChannel } from '../../src/channels/memory/memory-channel.ts';
import { showHealth } from '../../src/commands/gateway/describe-gateway.ts';
import { listTroubles } from '../../src/gateway-client/look-at-gateway.ts';
import { MethodsHome } from './methods-home.ts';

/** One whose network says what a test wants. */
class SickChannel extends MemoryChannel {
  readonly #health: ChannelHealth;

  constructor(accountId: string, health: ChannelHealth) {
    super({ name: 'telegram', accountId });
    this.#health = health;
  }

  override health(): ChannelHealth {
    return this.#health;
  }
}

const CHANNELS = [
  new SickChannel('default', { state: 'connected', since: 1000 }),
  new SickChannel('work', {
    state: 'reconnecting',
    since: 2000,
    error: 'The network does not answer',
    nextTryAt: 9000,
  }),
  new SickChannel('old', { state: 'failed', since: 3000, error: 'The token is not valid any more' }),
];

test('channels.status tells a dead channel from a running one', async () => {
  const accounts = { default: { name: 'House bot' }, work: {}, old: {}, off: { enabled: false } };
  const home = await MethodsHome.open({
    channels: CHANNELS,
    config: { channels: { telegram: { name: 'All', accounts } } },
  });
  const status = await home.ask('channels.status', { probe: false });
  const nothing = { lastInboundAt: null, lastOutboundAt: null, lastError: null };
  expect(status.channels.telegram).toMatchObject({ configured: true, running: true, connected: true });
  expect(status.channelAccounts.telegram).toMatchObject([
    {
      accountId: 'default',
      name: 'House bot',
      running: true,
      connected: true,
      lastConnectedAt: 1000,
      ...nothing,
    },
    {
      accountId: 'work',
      name: 'All',
      running: true,
      connected: false,
      lastDisconnectAt: 2000,
      nextTryAt: 9000,
      lastError: 'The network does not answer',
    },
    {
      accountId: 'old',
      running: false,
      connected: false,
      healthState: 'failed',
      lastError: 'The token is not valid any more',
    },
    {
      accountId: 'off',
      enabled: false,
      running: false,
      connected: false,
      healthState: 'stopped',
      ...nothing,
    },
  ]);
  expect(status.statusIssues).toMatchObject([{ accountId: 'work' }, { accountId: 'old' }]);
});

test('what a person should look at is told of one that is connected', async () => {
  const health = { state: 'connected', since: 1000, warning: '2 calls were refused' } as const;
  const channel = new SickChannel('default', health);
  const home = await MethodsHome.open({ channels: [channel], config: { channels: { telegram: {} } } });
  const status = await home.ask('channels.status', { probe: false });
  expect(status.channelAccounts.telegram).toMatchObject([
    { connected: true, lastError: null, capabilities: { recognisesRepeats: false, canEdit: false } },
  ]);
  expect(status.statusIssues).toEqual([
    { channel: 'telegram', accountId: 'default', kind: 'config', message: '2 calls were refused' },
  ]);
  const state = describeOpened({ channel }, (text) => text.replace('2', '***'));
  expect(showHealth(state, { now: 120_000, palette: PLAIN_PALETTE })).toBe(
    'connected. *** calls were refused',
  );
  expect(listTroubles({ running: true, channels: [state] })).toEqual([]);
});

test('so do the words of status and doctor', () => {
  const channels = CHANNELS.map((channel) => describeOpened({ channel, lastInboundAt: 60_000 }));
  const shown = channels.map((one) => showHealth(one, { now: 120_000, palette: PLAIN_PALETTE }));
  expect(shown).toEqual([
    expect.stringMatching(/^connected, last message /),
    expect.stringMatching(/^not connected since .*: The network does not answer$/),
    expect.stringMatching(/^failed .*: The token is not valid any more$/),
  ]);
  const eventLoop = { delayP99Ms: 20, delayMaxMs: 2345 };
  expect(listTroubles({ running: true, eventLoop, channels })).toEqual([
    'The gateway answered nothing for 2.3 s within the last minute: its event loop was blocked',
    'The channel telegram (account work) is not connected: The network does not answer',
    'The channel telegram (account old) does not work: The token is not valid any more',
  ]);
});
