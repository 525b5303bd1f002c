import { describe, expect, test } from 'vitest';
import { MemoryInboxHost } from '../memory-inbox-host.ts';
import { ADA, atHome, BEN, type DiscordHome } from './discord-home.ts';

const texts = ({ host }: DiscordHome) => host.taken.map(([, , text]) => text);
const identifies = ({ network }: DiscordHome) => network.gateway.opened.filter((line) => line === 'identify');

/** What is said until the gateway is open again is in no session. */
function loseSession({ network: { gateway } }: DiscordHome): void {
  gateway.isOpen = false;
  gateway.drop();
  gateway.forgetSessions();
}

describe('a connection that is lost', () => {
  test(
    'complaint 7: is resumed a hundred times in all ways, and nothing is lost or doubled',
    atHome(async (home) => {
      const { network, host } = home;
      const { gateway } = network;
      const channel = await home.connect();
      const said: string[] = [];
      const ways = [
        () => gateway.drop(),
        () => gateway.closeAll(4000),
        () => gateway.closeAll(1001),
        () => gateway.sendAll({ op: 7 }),
        () => gateway.sendAll({ op: 9, d: true }),
      ];
      for (let round = 0; round < 100; round++) {
        said.push(`before ${round}`, `after ${round}`);
        const opened = gateway.opened.length;
        network.sayDirectly(ADA, `before ${round}`);
        ways[round % ways.length]?.();
        network.sayDirectly(ADA, `after ${round}`);
        await gateway.until(() => gateway.opened.length > opened);
        await home.settle(channel);
      }
      await home.settle(channel);
      expect(texts(home)).toEqual(said);
      expect(identifies(home)).toHaveLength(1);
      expect(host.reports).toEqual([]);
      // Pauses grow while it does not last, and have an end.
      expect(Math.max(...home.pauses)).toBeGreaterThan(30_000);
      expect(Math.max(...home.pauses)).toBeLessThanOrEqual(75_000);
    }),
  );

  test(
    'is found out by heartbeats that get no answer',
    atHome(async (home) => {
      const { gateway } = home.network;
      gateway.heartbeatInterval = 20;
      const channel = await home.connect();
      gateway.acknowledges = false;
      await gateway.until(() => gateway.opened.length > 1);
      gateway.acknowledges = true;
      home.network.sayDirectly(ADA, 'still there?');
      await home.settle(channel);
      expect(texts(home)).toEqual(['still there?']);
      expect(identifies(home)).toHaveLength(1);
    }),
  );

  test(
    'does not lose its session while the network is down, and its health says so',
    atHome(async (home) => {
      const { network } = home;
      const { gateway } = network;
      const channel = await home.connect();
      gateway.isOpen = false;
      gateway.drop();
      const health = await home.reach(channel, 'reconnecting');
      expect(health).toMatchObject({
        error: expect.stringMatching(/connection/),
        nextTryAt: expect.any(Number),
      });
      expect(channel.summary()).toBe('Discord: reconnecting as @openbot');
      await gateway.until(() => home.pauses.length > 5);
      network.sayDirectly(ADA, 'while it was down');
      gateway.isOpen = true;
      await home.settle(channel);
      expect(channel.health()).toMatchObject({ state: 'connected' });
      expect(texts(home)).toEqual(['while it was down']);
      expect(identifies(home)).toHaveLength(1);
    }),
  );

  test(
    'is resumed by a new process, from what the inbox has',
    atHome(async (home) => {
      const { network, host } = home;
      const first = await home.connect();
      network.sayDirectly(ADA, 'one');
      await network.gateway.settled();
      // The disk fails, and then the process ends.
      host.failures = Number.POSITIVE_INFINITY;
      network.sayDirectly(ADA, 'two');
      network.sayDirectly(BEN, 'three');
      await home.reach(first, 'reconnecting');
      expect(first.health()).toMatchObject({ error: 'A message could not be kept: The disk is full.' });
      await first.stop();
      network.sayDirectly(ADA, 'four');
      host.failures = 0;
      const second = await home.connect();
      await home.settle(second);
      expect([...texts(home)].sort()).toEqual(['four', 'one', 'three', 'two']);
      expect(host.taken.filter(([chat]) => chat === '7501').map(([, , text]) => text)).toEqual([
        'one',
        'two',
        'four',
      ]);
      expect(identifies(home)).toHaveLength(1);
    }),
  );

  test(
    'tells Discord a sequence that does not run ahead of the inbox, and lets no chat wait for another',
    atHome(async (home) => {
      const { network, host } = home;
      await home.connect();
      const { gateway } = network;
      const { accept } = host;
      let release = () => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      host.accept = async (message) => {
        if (message.ctx.RawBody === 'slow') await held;
        return accept(message);
      };
      network.sayDirectly(ADA, 'slow');
      network.sayDirectly(BEN, 'quick');
      await gateway.until(() => host.taken.length === 1);
      expect(texts(home)).toEqual(['quick']);
      let isSettled = false;
      const settled = gateway.settled().then(() => {
        isSettled = true;
      });
      const before = gateway.heartbeats;
      await gateway.until(() => gateway.heartbeats > before + 3);
      expect(isSettled).toBe(false);
      release();
      await settled;
      expect(texts(home)).toEqual(['quick', 'slow']);
    }),
  );
});

describe('a session that Discord has forgotten', () => {
  test(
    'leaves a gap that is read by the API: direct chats, channels, threads, new posts',
    atHome(async (home) => {
      const { network, world, host } = home;
      const first = await home.connect();
      network.sayDirectly(ADA, 'direct');
      network.say('20', ADA, 'in the channel');
      await home.settle(first);
      await first.stop();
      world.moveTime(3_600_000);
      network.gateway.forgetSessions();
      const post = world.newId();
      world.addChannel({ id: post, type: 11, guild_id: '10', parent_id: '21', name: 'An idea' });
      for (let n = 0; n < 150; n++) network.sayDirectly(ADA, `direct ${n}`);
      network.say('20', BEN, 'later in the channel', { mentions: [world.self] });
      network.say('30', BEN, 'in a thread that was quiet before');
      network.say(post, BEN, 'a new post', { id: post });
      network.say('20', world.self, 'of the bot itself');
      const second = await home.connect();
      network.sayDirectly(ADA, 'live again');
      await home.settle(second);
      const direct = host.taken.filter(([chat]) => chat === '7501').map(([, , text]) => text);
      expect(direct).toEqual([
        'direct',
        ...Array.from({ length: 150 }, (_, n) => `direct ${n}`),
        'live again',
      ]);
      expect(host.taken.filter(([chat]) => chat === '20').map(([, , text]) => text)).toEqual([
        'in the channel',
        'later in the channel',
      ]);
      expect(host.taken).toContainEqual(['30', expect.any(String), 'in a thread that was quiet before']);
      expect(host.taken).toContainEqual([post, post, 'a new post']);
      expect(host.reports).toEqual([]);
      expect(host.byText.get('later in the channel')).toMatchObject({
        From: 'discord:channel:20',
        GroupSpace: '10',
        WasMentioned: true,
        SenderRoles: ['77'],
      });
      // It is closed: the next loss begins where this one ended.
      const before = host.calls;
      const begun = identifies(home).length;
      network.gateway.forgetSessions();
      network.gateway.drop();
      await network.gateway.until(() => identifies(home).length > begun);
      await home.settle(second);
      expect(host.calls).toBe(before);
    }),
  );

  test(
    'is read again when the API failed meanwhile, and says what cannot be read',
    atHome(async (home) => {
      const { network, world, host } = home;
      const channel = await home.connect();
      network.sayDirectly(ADA, 'one');
      network.say('20', ADA, 'two');
      await home.settle(channel);
      loseSession(home);
      network.sayDirectly(ADA, 'missed');
      network.say('20', ADA, 'missed too');
      world.channels.delete('20');
      network.fault({ path: /\/7501\/messages$/, times: 5, does: { status: 502 } });
      network.fault({
        path: /\/7501\/messages$/,
        times: 1,
        does: {
          status: 429,
          headers: { 'retry-after': '3' },
          body: { retry_after: 3, message: '', global: false },
        },
      });
      network.gateway.isOpen = true;
      await network.gateway.until(() => host.taken.length === 3);
      await home.settle(channel);
      expect([...texts(home)].sort()).toEqual(['missed', 'one', 'two']);
      expect(host.reports.length).toBeGreaterThan(0);
      expect(host.reports[0]).toMatch(/channel 20 .*cannot be read: Unknown Channel/);
      expect(home.pauses).toContain(3000);
    }),
  );

  test(
    'leaves direct chats what they are where Discord does not say it',
    atHome(async (home) => {
      const { network, host } = home;
      const channel = await home.connect();
      network.sayDirectly(ADA, 'one');
      await home.settle(channel);
      loseSession(home);
      network.sayDirectly(ADA, 'missed');
      const body = { message: 'Missing Access', code: 50001 };
      network.fault({ path: /\/channels\/7501$/, times: 1, does: { status: 403, body } });
      network.gateway.isOpen = true;
      await network.gateway.until(() => host.taken.length === 2);
      await home.settle(channel);
      network.sayDirectly(ADA, 'later');
      await network.gateway.settled();
      expect(network.calls.filter(({ path }) => path.endsWith('/channels/7501'))).toHaveLength(1);
      for (const text of ['one', 'missed', 'later'])
        expect(host.byText.get(text)).toMatchObject({ From: 'discord:501', ChatType: 'direct' });
    }),
  );

  test(
    'complaint 7: is read before what is said later, also when the first reading failed',
    atHome(async (home) => {
      const { network, host } = home;
      const channel = await home.connect();
      network.sayDirectly(ADA, 'one');
      await home.settle(channel);
      loseSession(home);
      network.sayDirectly(ADA, 'missed');
      const failing = { path: /\/7501\/messages$/, times: 1000, does: { status: 502 } };
      network.fault(failing);
      network.gateway.isOpen = true;
      await network.gateway.until(() => identifies(home).length === 2);
      await network.gateway.connected();
      network.sayDirectly(ADA, 'live');
      const resumes = () => network.gateway.opened.filter((line) => line.startsWith('resume')).length;
      await network.gateway.until(() => resumes() > 2);
      expect(channel.health()).toMatchObject({ state: 'reconnecting' });
      failing.times = 0;
      await network.gateway.until(() => host.taken.length === 3);
      expect(texts(home)).toEqual(['one', 'missed', 'live']);
      await home.settle(channel);
    }),
  );

  test(
    'is read in other servers when one does not let its channels be listed',
    atHome(async (home) => {
      const { network, world, host } = home;
      world.addGuild('11', 'Closed', []);
      const channel = await home.connect();
      network.say('20', ADA, 'one');
      await home.settle(channel);
      loseSession(home);
      network.say('20', ADA, 'missed');
      const does = { status: 403, body: { message: 'Missing Access', code: 50001 } };
      network.fault({ path: /^\/guilds\/11\/channels$/, times: 1000, does });
      network.gateway.isOpen = true;
      await network.gateway.until(() => host.taken.length === 2);
      await home.settle(channel);
      expect(texts(home)).toEqual(['one', 'missed']);
      expect(host.reports).toEqual([expect.stringMatching(/server 11 cannot be listed: Missing Access/)]);
    }),
  );

  test(
    'asks for the roles of those alone who may talk, and health says that it is catching up',
    atHome(async (home) => {
      const { network, host } = home;
      const channel = await home.connect();
      network.say('20', ADA, 'one');
      await home.settle(channel);
      loseSession(home);
      host.strangers.add(BEN.id);
      network.say('20', BEN, 'of a stranger');
      network.say('20', ADA, 'missed');
      const members: string[] = [];
      const health: unknown[] = [];
      const { mayTalk } = host;
      host.mayTalk = (ctx) => {
        health.push(channel.health());
        return mayTalk.call(host, ctx);
      };
      network.gateway.isOpen = true;
      await network.gateway.until(() => host.taken.length === 3);
      await home.settle(channel);
      members.push(...network.calls.flatMap(({ path }) => /members\/(\d+)$/.exec(path)?.[1] ?? []));
      expect(members).toEqual([ADA.id]);
      expect(host.byText.get('missed')).toMatchObject({ SenderRoles: ['77'] });
      expect(health).toContainEqual(
        expect.objectContaining({ state: 'reconnecting', error: expect.stringMatching(/catching up/) }),
      );
      expect(channel.health()).toMatchObject({ state: 'connected' });
    }),
  );

  test(
    'is said when more was missed than is read',
    atHome(async (home) => {
      const { network, host } = home;
      const channel = await home.connect();
      network.sayDirectly(ADA, 'one');
      await home.settle(channel);
      loseSession(home);
      for (let n = 0; n < 600; n++) network.sayDirectly(ADA, `${n}`);
      network.gateway.isOpen = true;
      await home.settle(channel);
      expect(host.taken).toHaveLength(501);
      expect(host.reports).toEqual([
        expect.stringMatching(/more than 500 messages were missed in channel 7501/),
      ]);
    }),
  );
});

describe('health', () => {
  test(
    'fails with what a person can do, and is tried again after minutes',
    atHome(async (home) => {
      const { network } = home;
      network.gateway.allowsContent = false;
      const blind = home.make();
      await blind.start(home.host);
      expect(await home.reach(blind, 'failed')).toMatchObject({
        error: expect.stringMatching(/Message Content Intent/),
      });
      expect(network.gateway.opened).toEqual(['identify']);
      home.world.flags = 0;
      await expect(blind.probe(new AbortController().signal)).rejects.toThrow(/Message Content Intent/);
      home.world.flags = 1 << 18;

      home.settings = { token: 'another' };
      const wrong = home.make();
      await wrong.start(new MemoryInboxHost());
      expect(await home.reach(wrong, 'failed')).toMatchObject({ error: expect.stringMatching(/token/) });
      await expect(wrong.probe(new AbortController().signal)).rejects.toMatchObject({
        mayHaveArrived: false,
      });
      expect(network.gateway.opened).toEqual(['identify']);

      home.settings = {};
      network.gateway.allowsContent = true;
      network.gateway.closeNext = { code: 4004, times: 1 };
      const revoked = home.make();
      await revoked.start(new MemoryInboxHost());
      expect(await home.reach(revoked, 'failed')).toMatchObject({ error: expect.stringMatching(/token/) });
      // The intent is on now, and the token was refused only once.
      home.mended.resolve();
      await home.reach(blind, 'connected');
      await home.reach(revoked, 'connected');
      expect(wrong.health().state).toBe('failed');
      for (const channel of [wrong, revoked]) await channel.stop();
      expect(revoked.health()).toEqual({ state: 'stopped' });
      expect(wrong.health()).toEqual({ state: 'stopped' });
    }),
  );

  test(
    'waits when no session may be begun any more',
    atHome(async (home) => {
      const { network } = home;
      const limit = { total: 1000, remaining: 0, reset_after: 7_200_000, max_concurrency: 1 };
      const url = `${network.origin.replace('http', 'ws')}/gateway`;
      network.fault({
        path: /^\/gateway\/bot$/,
        does: { status: 200, body: { url, shards: 1, session_start_limit: limit } },
      });
      const channel = home.make();
      await channel.start(home.host);
      await home.reach(channel, 'connected');
      expect(home.pauses[0]).toBe(7_200_000);
      expect(await channel.probe(new AbortController().signal)).toBe('Discord: @openbot (900)');
    }),
  );

  test(
    'of another bot takes nothing over from the one before',
    atHome(async (home) => {
      const { network, world, host } = home;
      const first = await home.connect();
      network.sayDirectly(ADA, 'to the first');
      await home.settle(first);
      await first.stop();
      world.self.id = '950';
      const second = await home.connect();
      await home.settle(second);
      expect(network.gateway.opened).toEqual(['identify', 'identify']);
      expect(host.reports).toEqual([]);
      expect(host.calls).toBe(1);
    }),
  );

  test(
    'survives a stop at any moment of a connection',
    atHome(async (home) => {
      for (let step = 0; step < 24; step++) {
        home.network.gateway.isOpen = step % 2 === 0;
        const channel = home.make();
        await channel.start(home.host);
        for (let n = 0; n < step; n++) await new Promise((resolve) => setImmediate(resolve));
        await channel.stop();
        expect(channel.health()).toEqual({ state: 'stopped' });
      }
    }),
  );
});
