/** One network is down for a minute while people write on three. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { afterTest } from '../../../../../test/setup/cleaning.ts';
import { PARROT } from '../../bot/bot-home.ts';
import { type Json, MethodsHome } from '../../gateway-methods/methods-home.ts';
import { ADA as DISCORD_ADA, DiscordHome } from '../discord/discord-home.ts';
import { message, TelegramBench } from '../telegram/telegram-bench.ts';
import { WhatsAppBench } from '../whatsapp/whatsapp-bench.ts';

const OPEN = { dmPolicy: 'open', rateLimit: 0 } as const;
const MARK = '(This may be a repeat.)\n';

test('complaints 6 and 10: a network that is down holds up no other; it recovers, in order, and channels.status says so', async () => {
  const [telegram, discord, whatsapp] = [
    await TelegramBench.make(),
    await DiscordHome.open(),
    await WhatsAppBench.open(),
  ];
  const gate = Promise.withResolvers<void>();
  const home = await MethodsHome.open({
    config: {
      session: { dmScope: 'per-channel-peer' },
      messages: { queue: { mode: 'followup', debounceMs: 0 } },
      channels: { telegram: OPEN, discord: OPEN, whatsapp: OPEN },
    },
    channels: [telegram.makeChannel(), discord.make(), whatsapp.channel],
    play: async function* (question) {
      if (question.prompt.includes('late')) await gate.promise;
      for (const step of PARROT(question) as Iterable<never>) yield step;
    },
  });
  afterTest(() => discord.network.stop());
  const statesOf = async () => {
    const { channelAccounts } = await home.ask('channels.status', {});
    return Object.entries(channelAccounts).map(
      ([name, [{ healthState }]]: [string, Json]) => `${name} ${healthState}`,
    );
  };
  const shown = () => telegram.api.chats.shown.map(({ text }) => text.replace(MARK, ''));
  const until = async (isSo: () => boolean) => {
    while (!isSo()) await sleep(10);
  };
  await telegram.deliver({ message: message(1, { text: 'say one' }) });
  await discord.network.gateway.connected();
  await until(() => shown().length === 1);
  // Its answer comes when the network is down.
  await telegram.deliver({ message: message(2, { text: 'say two, late' }) });

  telegram.api.goDown();
  gate.resolve();
  await telegram.until(() => telegram.channel.health().state === 'reconnecting', 'the end of the connection');
  for (const text of ['three', 'four'])
    telegram.api.updates.push({ message: message(text.length, { text: `say ${text}` }) });
  discord.network.sayDirectly(DISCORD_ADA, 'say it goes on');
  await whatsapp.write({ id: 'wamid.1', text: 'say it goes on' });
  await until(() => discord.world.shown().length === 1 && whatsapp.api.shown.length === 1);
  await telegram.clock.advance(60_000);
  expect(await statesOf()).toEqual(['telegram reconnecting', 'discord connected', 'whatsapp connected']);
  const { statusIssues } = await home.ask('channels.status', {});
  expect(statusIssues).toMatchObject([{ channel: 'telegram', message: expect.stringMatching(/./) }]);
  expect(shown()).toEqual(['one']);

  telegram.api.goDown(false);
  await telegram.pass(() => telegram.channel.health().state === 'connected', 'the connection');
  await until(() => shown().length === 4);
  expect(shown()).toEqual(['one', 'two, late', 'three', 'four']);
  expect(await statesOf()).toEqual(['telegram connected', 'discord connected', 'whatsapp connected']);
  expect([discord.world.shown(), whatsapp.api.shown.map(({ text }) => text)]).toEqual([
    ['it goes on'],
    ['it goes on'],
  ]);
});
