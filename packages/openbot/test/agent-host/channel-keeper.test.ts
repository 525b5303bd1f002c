import { expect, test, vi } from 'vitest';
import { ChannelKeeper } from '../../src/agent-host/channel-keeper.ts';
import type { ChannelKinds } from '../../src/channels/all.ts';
import type { ChannelHost } from '../../src/channels/contract.ts';
import { MemoryChannel } from '../../src/channels/memory/memory-channel.ts';
import { MemoryNetwork } from '../../src/channels/memory/memory-network.ts';
import type { BotConfig, ChannelSettings } from '../../src/config/bot-config.ts';
import { BotHome, Chat, PARROT } from '../bot/bot-home.ts';
import { ManualClock } from '../setup/manual-clock.ts';

/** Networks in memory behind the registry, and what their drivers were asked. */
class Networks {
  readonly opened: string[] = [];
  readonly stopped: string[] = [];
  readonly channels = new Map<string, MemoryChannel>();
  /** Errors of the next starts, by account. */
  readonly faults = new Map<string, Error[]>();
  readonly kinds: ChannelKinds;

  constructor() {
    const open = (name: string) => async () => ({
      driver: {
        open: ({
          accountId,
          settings,
        }: {
          accountId: string;
          settings: Readonly<Record<string, unknown>>;
        }) => {
          const id = `${name}/${accountId}`;
          this.opened.push(`${id} ${settings.botToken}`);
          const channel = new Faulty(
            name,
            accountId,
            () => this.faults.get(id)?.shift(),
            () => this.stopped.push(id),
          );
          this.channels.set(id, channel);
          return channel;
        },
      },
    });
    const kind = { credential: 'botToken', credentialHint: 'Ask the network', packages: [] };
    this.kinds = {
      memory: { ...kind, label: 'Memory', load: open('memory'), variable: 'MEMORY_TOKEN' },
      other: { ...kind, label: 'Other', load: open('other') },
      absent: { ...kind, label: 'Absent', load: open('absent'), packages: ['@openbot/no-such-package'] },
    };
  }
}

class Faulty extends MemoryChannel {
  readonly #fault: () => Error | undefined;
  readonly #onStop: () => void;

  constructor(name: string, accountId: string, fault: () => Error | undefined, onStop: () => void) {
    super({ name, accountId, network: new MemoryNetwork() });
    this.#fault = fault;
    this.#onStop = onStop;
  }

  override async start(host: ChannelHost): Promise<void> {
    const fault = this.#fault();
    if (fault !== undefined) throw fault;
    await super.start(host);
  }

  override async stop(): Promise<void> {
    this.#onStop();
    await super.stop();
  }
}

const waitFor = (isSo: () => boolean) => vi.waitUntil(isSo, { timeout: 60_000, interval: 2 });

async function keep(channels: Record<string, unknown>, env = {}) {
  const home = new BotHome();
  const networks = new Networks();
  const clock = new ManualClock();
  const config: { channels: BotConfig['channels'] } = {
    channels: channels as Record<string, ChannelSettings>,
  };
  const bot = await home.open({ config, channels: [new Chat({ name: 'web' }).channel], play: PARROT });
  const notices: string[] = [];
  const media = { maxBytes: 0, keep: async () => expect.fail(), read: async () => expect.fail() };
  const keeper = new ChannelKeeper({
    bot,
    config,
    env,
    stateDir: home.stateDir,
    media,
    clock,
    kinds: networks.kinds,
    report: (_about, message) => notices.push(message),
  });
  const change = (to: Record<string, unknown>) => {
    config.channels = to as Record<string, ChannelSettings>;
    keeper.follow();
  };
  const stateOf = (id: string) => keeper.list().find((one) => `${one.channel}/${one.accountId}` === id);
  const until = (id: string, state: string) => waitFor(() => stateOf(id)?.health.state === state);
  keeper.follow();
  return { bot, keeper, networks, clock, notices, change, stateOf, until };
}

test('opens the enabled accounts, each with its settings in the place of those of the channel', async () => {
  const { networks, keeper, until } = await keep(
    {
      defaults: { botToken: 'none' },
      unknown: { botToken: 'none' },
      memory: {
        name: 'x',
        accounts: { Work: { botToken: 'work' }, off: { botToken: 'off', enabled: false }, default: {} },
      },
      other: { botToken: 'top', accounts: { second: {}, third: { botToken: 'own' } } },
      absent: { enabled: false },
    },
    { MEMORY_TOKEN: 'from the environment' },
  );
  await Promise.all(
    ['memory/work', 'memory/default', 'other/default', 'other/second', 'other/third'].map((id) =>
      until(id, 'connected'),
    ),
  );
  expect(networks.opened.toSorted()).toEqual([
    'memory/default from the environment',
    'memory/work work',
    'other/default top',
    // A second one with the same token would be the same account.
    'other/second undefined',
    'other/third own',
  ]);
  expect(keeper.list()).toHaveLength(5);
});

test('a change opens anew what changed, and leaves the others alone', async () => {
  const { bot, networks, change, until, keeper } = await keep({
    memory: { botToken: 'one', dmPolicy: 'open' },
    other: { botToken: 'stays' },
  });
  await Promise.all([until('memory/default', 'connected'), until('other/default', 'connected')]);
  const before = networks.channels.get('memory/default')!;
  change({ memory: { botToken: 'two', dmPolicy: 'open' }, other: { botToken: 'stays' } });
  await until('memory/default', 'connected');
  expect(networks.stopped).toEqual(['memory/default']);
  expect(networks.opened.slice(2)).toEqual(['memory/default two']);

  // The new one answers, and the former one takes nothing.
  const { network } = networks.channels.get('memory/default')!;
  const message = (to: string) => ({
    conversationId: to,
    messageId: '1',
    ctx: {
      RawBody: 'say hello',
      SenderId: to,
      ChatType: 'direct',
      Provider: 'memory',
      OriginatingChannel: 'memory',
      OriginatingTo: to,
    },
  });
  await before.receive(message('bob'));
  await networks.channels.get('memory/default')!.receive(message('ada'));
  await bot.idle();
  expect(network.shown.map(({ payload }) => payload.text)).toEqual(['hello']);
  expect(before.network.unconfirmed).toHaveLength(1);
  const { lastInboundAt, lastOutboundAt } = keeper.list().find(({ channel }) => channel === 'memory')!;
  expect(lastOutboundAt).toBeGreaterThanOrEqual(lastInboundAt!);

  change({ memory: { botToken: 'two', enabled: false }, other: { botToken: 'stays' } });
  await waitFor(() => bot.channels.length === 2);
  expect(keeper.list().map(({ channel }) => channel)).toEqual(['other']);
  expect(networks.opened).toHaveLength(3);
});

test('a change of who may talk has effect at once, and ends no send', async () => {
  const { bot, networks, change, until } = await keep({ memory: { botToken: 'one', dmPolicy: 'allowlist' } });
  await until('memory/default', 'connected');
  const channel = networks.channels.get('memory/default')!;
  const write = (from: string) =>
    channel.receive({
      conversationId: from,
      messageId: from,
      ctx: { RawBody: `say ${from}`, SenderId: from, ChatType: 'direct', OriginatingTo: from },
    });
  await write('1');
  change({ memory: { botToken: 'one', dmPolicy: 'allowlist', allowFrom: ['2'] } });
  channel.network.addFault({ fault: 'stall' });
  await write('2');
  const isSending = () => channel.network.sends > 0;
  await waitFor(isSending);
  change({
    memory: {
      botToken: 'one',
      dmPolicy: 'allowlist',
      allowFrom: ['2', '3'],
      groups: { '-100': {} },
      rateLimit: 5,
      streaming: 'block',
      ackReaction: '',
    },
  });
  await write('3');
  await waitFor(() => channel.network.shown.length === 1);
  expect(channel.network.shown[0]?.target.to).toBe('3');
  expect([networks.opened.length, networks.stopped]).toEqual([1, []]);
  await bot.close();
});

test('one that cannot start is tried again with growing pauses, and holds up no other', async () => {
  const { networks, clock, stateOf, until, notices, change } = await keep({ defaults: {} });
  const secret = '12345:a-secret';
  const fault = () => new Error(`connect ECONNREFUSED to /bot${secret}/getMe`);
  networks.faults.set('memory/default', [fault(), fault()]);
  change({ memory: { botToken: secret }, other: {}, absent: {} });
  await until('other/default', 'connected');
  await until('memory/default', 'reconnecting');
  const shown = 'connect ECONNREFUSED to /bot********/getMe';
  expect(stateOf('memory/default')).toMatchObject({
    health: { state: 'reconnecting', error: shown, nextTryAt: clock.now() + 1000 },
    lastError: shown,
  });
  await clock.advance(1000);
  await waitFor(() => networks.opened.filter((line) => line.startsWith('memory')).length === 2);
  await waitFor(
    () => (stateOf('memory/default')!.health as { nextTryAt?: number }).nextTryAt === clock.now() + 2000,
  );
  await clock.advance(2000);
  await until('memory/default', 'connected');
  expect(stateOf('memory/default')!.lastError).toBe(shown);

  const missing =
    'Absent needs the package @openbot/no-such-package, which is not installed: npm install @openbot/no-such-package';
  expect(stateOf('absent/default')!.health).toMatchObject({ error: missing });
  expect(notices.toSorted()).toEqual([
    `The channel absent (account default): ${missing}`,
    `The channel memory (account default): ${shown}`,
  ]);
});

test('a request of a network comes to its account, and waits for one that is not open', async () => {
  const { networks, keeper, until, change } = await keep({ memory: {} });
  await until('memory/default', 'connected');
  const request = {
    method: 'POST',
    path: '/x',
    headers: {},
    base64: Buffer.from([0, 255]).toString('base64'),
  };
  const memory = { channel: 'memory', accountId: 'default' };
  expect(await keeper.receiveHttp(memory, request)).toEqual({ status: 404 });
  const bodies: Uint8Array[] = [];
  Object.assign(networks.channels.get('memory/default')!, {
    receiveHttp: async ({ body }: { body: Uint8Array }) => {
      bodies.push(body);
      return { status: 200, body: 'taken' };
    },
  });
  expect(await keeper.receiveHttp(memory, request)).toEqual({ status: 200, body: 'taken' });
  expect([...bodies[0]!]).toEqual([0, 255]);
  expect(await keeper.receiveHttp({ ...memory, accountId: 'other' }, request)).toEqual({ status: 404 });
  networks.faults.set('other/default', [new Error('down')]);
  change({ memory: {}, other: {} });
  await until('other/default', 'reconnecting');
  const other = { channel: 'other', accountId: 'default' };
  expect(await keeper.receiveHttp(other, request)).toMatchObject({ status: 503 });
});
