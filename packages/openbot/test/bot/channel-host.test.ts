/** What a channel can tell the bot beside messages: receipts, changed messages, notes. */
import { expect, test, vi } from 'vitest';
import type { ChannelHost } from '../../src/channels/contract.ts';
import { MemoryChannel } from '../../src/channels/memory/memory-channel.ts';
import { openState } from '../../src/state/open-state.ts';
import { BotHome, Chat, PARROT, type Play } from './bot-home.ts';

/** A chat whose host a test can call as the adapter would. */
class HostedChat extends Chat {
  host!: ChannelHost;

  constructor() {
    super();
    const start = MemoryChannel.prototype.start.bind(this.channel);
    this.channel.start = async (host) => {
      this.host = host;
      await start(host);
    };
  }
}

test('a receipt with the key proves a send, and a failure makes a dead letter', async () => {
  const home = new BotHome();
  const chat = new HostedChat();
  const state = await openState(home.stateDir);
  const bot = await home.open({ channels: [chat.channel], play: PARROT, state });
  const { network } = chat.channel;
  network.addFault({ fault: 'lose answer' });
  // On a slow machine it may be tried again before the test goes on.
  network.addFault({ fault: 'refuse', retryAfterMs: 3_600_000 });
  await chat.write('ada', 'say hello');
  await vi.waitUntil(() => network.shown.length === 1, { timeout: 60_000 });
  const { key } = network.shown[0]!;
  await vi.waitUntil(async () => (await state.outbox.get(key))?.mayBeRepeat, { timeout: 60_000 });
  await chat.host.receipt({ key, id: 'sent-1', state: 'delivered' });
  expect(await state.outbox.get(key)).toMatchObject({ state: 'sent', ids: ['sent-1'] });
  await bot.idle();
  expect(chat.shown).toEqual(['ada: hello']);

  await chat.host.receipt({ id: 'sent-1', state: 'read' });
  await chat.host.receipt({ id: 'never', state: 'failed', error: 'no such number' });
  expect(home.notices).toEqual([]);
  const instead = { memory: { asTemplate: true } };
  const failed = { id: 'sent-1', state: 'failed', error: 'not a number of the network', instead } as const;
  await chat.host.receipt(failed);
  expect(await state.outbox.get(key)).toMatchObject({ state: 'dead', error: 'not a number of the network' });
  expect(home.notices.map(({ about }) => about)).toEqual(['dead letter']);

  // The network says it again, of the reply and of what took its place.
  const second = `${key}:instead`;
  const payload = { text: 'hello', channelData: instead };
  expect(await state.outbox.get(second)).toMatchObject({ target: { to: 'ada' }, payload });
  await chat.host.receipt(failed);
  await chat.host.receipt({ key: second, id: 'sent-2', state: 'delivered' });
  expect(await state.outbox.get(second)).toMatchObject({ state: 'sent', ids: ['sent-2'] });
  await chat.host.receipt({ ...failed, id: 'sent-2' });
  expect(await state.outbox.get(second)).toMatchObject({ state: 'dead' });
  expect(await state.outbox.get(`${second}:instead`)).toBe(undefined);
});

test('a changed message is read in its new form, unless its turn has begun', async () => {
  const home = new BotHome();
  const chat = new HostedChat();
  const gate = Promise.withResolvers<void>();
  const entered = Promise.withResolvers<void>();
  const play: Play = async function* ({ prompt }) {
    entered.resolve();
    await gate.promise;
    yield { text: `to: ${prompt.split('\n').at(-1)}` };
  };
  const config = { messages: { queue: { mode: 'followup' as const, debounceMs: 0 } } };
  const bot = await home.open({ channels: [chat.channel], play, config });
  await chat.write('ada', 'first', { id: '1' });
  await entered.promise;
  await chat.write('ada', 'secnod', { id: '2' });
  const ctx = { SenderId: 'ada', ChatType: 'direct', Provider: 'memory', OriginatingTo: 'ada' };
  const amend = (messageId: string, RawBody: string) =>
    chat.host.amend({
      conversationId: 'ada',
      messageId,
      ctx: { ...ctx, RawBody, OriginatingChannel: 'memory' },
    });
  await amend('1', 'too late');
  await amend('2', 'second');
  await amend('never', 'nothing');
  gate.resolve();
  await bot.idle();
  expect(chat.shown).toEqual(['ada: to: first', 'ada: to: second']);
});

test('a changed message keeps its files and how its thread began, unless the change has its own', async () => {
  const home = new BotHome();
  const chat = new HostedChat();
  const gate = Promise.withResolvers<void>();
  const entered = Promise.withResolvers<void>();
  const play: Play = async function* () {
    entered.resolve();
    await gate.promise;
    yield { text: 'done' };
  };
  const config = { messages: { queue: { mode: 'followup' as const, debounceMs: 0 } } };
  const bot = await home.open({ channels: [chat.channel], play, config });
  await chat.write('ada', 'first', { id: '1' });
  await entered.promise;
  const about = { SenderId: 'ada', ChatType: 'direct', Provider: 'memory', OriginatingTo: 'ada' };
  const place = { conversationId: 'ada', messageId: '2' };
  const files = { MediaPath: '/m/a.png', MediaType: 'image/png', MediaPaths: ['/m/a.png'] };
  const more = { ...files, ThreadStarterBody: 'How it began' };
  await chat.host.accept({ ...place, ctx: { ...about, RawBody: 'lok', ...more } });
  const kept = async () => {
    const state = await openState(home.stateDir);
    const message = await state.inbox.find({
      channel: 'memory',
      accountId: chat.channel.accountId,
      ...place,
    });
    await state.close();
    return message?.ctx;
  };
  await chat.host.amend({ ...place, ctx: { ...about, RawBody: 'look' } });
  expect(await kept()).toMatchObject({ RawBody: 'look', ...more });
  const other = { MediaMissing: [{ name: 'b.png', reason: 'too large' }] };
  await chat.host.amend({ ...place, ctx: { ...about, RawBody: 'look', ...other } });
  expect(await kept()).toMatchObject({ ...other, ThreadStarterBody: 'How it began' });
  expect(await kept()).not.toHaveProperty('MediaPath');
  gate.resolve();
  await bot.idle();
});

test('the last replies go out before the channels are stopped, and what arrives meanwhile is kept', async () => {
  const home = new BotHome();
  const chat = new HostedChat();
  const gate = Promise.withResolvers<void>();
  const entered = Promise.withResolvers<void>();
  const play: Play = async function* () {
    entered.resolve();
    await gate.promise;
    yield { text: 'just in time' };
  };
  const { channel } = chat;
  const stop = channel.stop.bind(channel);
  let shownAtStop: readonly string[] = [];
  channel.stop = () => {
    shownAtStop = [...chat.shown];
    return stop();
  };
  const bot = await home.open({ channels: [channel], play });
  await chat.write('ada', 'first', { id: '1' });
  await entered.promise;
  const closing = bot.close({ graceMs: 60_000 });
  await chat.write('ben', 'second', { id: '2' });
  gate.resolve();
  await closing;
  expect(shownAtStop).toEqual(['ada: just in time']);
  const state = await openState(home.stateDir);
  const identity = { channel: 'memory', accountId: channel.accountId, conversationId: 'ben', messageId: '2' };
  // The run of the other person may have looked at what waits behind it.
  expect(await state.inbox.find(identity)).toMatchObject({
    state: expect.stringMatching(/^(received|queued)$/),
  });
  await state.close();
});

test('notes of an account outlive the bot', async () => {
  const home = new BotHome();
  const chat = new HostedChat();
  const bot = await home.open({ channels: [chat.channel] });
  await chat.host.notes.write('offset', '17');
  await bot.close();
  const next = new HostedChat();
  await home.open({ channels: [next.channel] });
  expect(await next.host.notes.read('offset')).toBe('17');
});
