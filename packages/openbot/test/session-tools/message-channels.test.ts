/** The `message` tool on real adapters: what one network alone has, and several accounts of one network. */
import { expect, test } from 'vitest';
import { Chat } from '../bot/bot-home.ts';
import { ADA as DISCORD_ADA, DiscordHome } from '../channels/discord/discord-home.ts';
import { ADA, message, TelegramBench } from '../channels/telegram/telegram-bench.ts';
import { ToolHome } from './tool-home.ts';

const BUTTONS = [[{ text: 'Red', callback_data: 'I take red' }], [{ text: 'Blue', callback_data: 'blue' }]];
const EMBEDS = [{ title: 'Colours', description: 'Two of them' }];
const BUTTON = { type: 2, style: 2, label: 'Red', custom_id: 'openbot:I take red' };
const COMPONENTS = [{ type: 1, components: [BUTTON] }];

test('buttons of the tool are shown in Telegram, and one that is pressed is a message with its words', async () => {
  const bench = await TelegramBench.make();
  const { api } = bench;
  const channelData = { telegram: { buttons: BUTTONS }, discord: { embeds: EMBEDS } };
  const home = new ToolHome()
    .on('colour?', [{ tool: 'message', args: { text: 'Which one?', channelData } }, { text: 'NO_REPLY' }])
    .on('I take red', [{ text: 'Red it is.' }])
    .on('alone', { tool: 'message', args: { text: '', channelData: { discord: { embeds: EMBEDS } } } });
  const bot = await home.start({ channels: [bench.makeChannel()] });
  await bench.deliver({ message: message(1, { text: 'colour?' }) });
  await bot.idle();
  const [call] = api.callsOf('sendMessage');
  expect(call?.params).toMatchObject({ text: 'Which one?', reply_markup: { inline_keyboard: BUTTONS } });
  expect(Object.keys(call!.params)).not.toContain('embeds');

  const [shown] = api.chats.shown;
  const pressed = message(shown!.message_id, { from: api.me, text: shown!.text });
  await bench.deliver({ callback_query: { id: '77', from: ADA, message: pressed, data: 'I take red' } });
  await bot.idle();
  expect(api.chats.shown.map(({ text }) => text)).toEqual(['Which one?', 'Red it is.']);

  await bench.deliver({ message: message(2, { text: 'alone' }) });
  await bot.idle();
  expect(home.resultsIn().at(-1)).toBe('The message is empty.');
});

test('a file of the tool that was not sent is told to the next turn, and nothing of one that was', async () => {
  const bench = await TelegramBench.make();
  const [lost, good] = ['https://x.example/lost.png', 'https://x.example/good.png'];
  bench.media.offer(good, 'image/png');
  const send = (url: string) => [
    { tool: 'message', args: { text: 'Here', media: [url] } },
    { text: 'NO_REPLY' },
  ];
  const home = new ToolHome()
    .on('first', send(lost))
    .on('second', send(good))
    .on('third', [{ text: 'ok' }]);
  const bot = await home.start({ channels: [bench.makeChannel()] });
  for (const [at, text] of ['first', 'second', 'third'].entries()) {
    await bench.deliver({ message: message(at + 1, { text }) });
    await bot.idle();
  }
  const told = home.saidIn().filter((line) => line.includes('was not sent'));
  expect(told).toEqual([
    expect.stringContaining(
      'A file of your message to telegram:777 on telegram was not sent: There is no such file',
    ),
  ]);
  expect(told[0]).toMatch(/^user: [\s\S]*second$/);
});

test('embeds and components of the tool are shown in Discord, also without a text', async () => {
  const discord = await DiscordHome.open();
  try {
    const data = { discord: { embeds: EMBEDS, components: COMPONENTS }, telegram: { buttons: BUTTONS } };
    const home = new ToolHome()
      .on('colour?', [{ tool: 'message', args: { text: 'Two:', channelData: data } }, { text: 'NO_REPLY' }])
      .on('card', [{ tool: 'message', args: { text: '', channelData: data } }, { text: 'NO_REPLY' }]);
    const channel = discord.make();
    const bot = await home.start({ channels: [channel] });
    await discord.reach(channel, 'connected');
    for (const text of ['colour?', 'card']) {
      discord.network.sayDirectly(DISCORD_ADA, text);
      await discord.settle(channel);
      await bot.idle();
    }
    const { id } = discord.world.directChannel(DISCORD_ADA);
    const shown = () => discord.world.messages.get(id)!.filter(({ author }) => author.id !== DISCORD_ADA.id);
    const both = { embeds: EMBEDS, components: COMPONENTS };
    expect(shown()).toMatchObject([
      { content: 'Two:', ...both },
      { content: '', ...both },
    ]);
  } finally {
    await discord.close();
  }
});

test('what is no object is refused, and the session goes on', async () => {
  const home = new ToolHome()
    .on('list', { tool: 'message', args: { text: 'x', channelData: [1] } })
    .on('null', { tool: 'message', args: { text: 'x', channelData: null } });
  const bot = await home.start();
  for (const word of ['list', 'null']) {
    await home.chat.write('ada', word);
    await bot.idle();
  }
  const refused = 'The argument channelData must be of type object.';
  expect(home.resultsIn()).toEqual([refused, refused]);
});

test('the account that sends can be named', async () => {
  const home = new ToolHome()
    .on('by work', [
      { tool: 'message', args: { text: 'From work.', to: 'bob', accountId: 'Work' } },
      { text: 'ok' },
    ])
    .on('to me', [
      { tool: 'message', args: { text: 'Also work.', accountId: 'work' } },
      { text: 'Also work.' },
    ])
    .on('here', [{ tool: 'message', args: { text: 'Here.', accountId: 'default' } }, { text: 'Here.' }])
    .on('nobody', { tool: 'message', args: { text: 'x', accountId: 'home' } });
  const work = new Chat({ accountId: 'work' });
  const bot = await home.start({ channels: [home.chat.channel, work.channel] });
  for (const words of ['by work', 'to me', 'here', 'nobody']) {
    await home.chat.write('ada', words);
    await bot.idle();
  }
  expect(work.shown).toEqual(['bob: From work.', 'ada: Also work.']);
  // The reply repeats what another account said, and not what this one did.
  const none = 'There is no account "home" of memory. Open are: default, work.';
  expect(home.chat.shown).toEqual(['ada: ok', 'ada: Also work.', 'ada: Here.', `ada: ${none}`]);
});

test('a recipient is found in whichever spelling its network has: the send policy of that session holds', async () => {
  const bench = await TelegramBench.make();
  const home = new ToolHome();
  const spellings = ['777', 'tg:777', 'telegram:777'];
  for (const to of spellings)
    home.on(`tell ${to}.`, { tool: 'message', args: { channel: 'telegram', to, text: 'hello there' } });
  const config = { session: { dmScope: 'per-channel-peer' } } as const;
  const first = await home.start({ config, channels: [bench.makeChannel()] });
  await bench.deliver({ message: message(1, { text: 'hi' }) });
  await first.idle();
  await first.close();
  const [key] = Object.keys(home.entriesOf());
  home.changeEntry(key!, { sendPolicy: 'deny' });
  const second = await home.start({ config, channels: [home.chat.channel, bench.makeChannel()] });
  for (const to of spellings) {
    await home.chat.write('bob', `tell ${to}.`);
    await second.idle();
  }
  const refused = `The send policy does not allow messages to ${key}.`;
  const bob = Object.keys(home.entriesOf()).find((one) => one !== key);
  expect(home.resultsIn(bob)).toEqual(spellings.map(() => refused));
});

test('a message to the person who is answered goes to them, however they are spelled', async () => {
  const bench = await TelegramBench.make();
  const home = new ToolHome().on('now', [
    { tool: 'message', args: { to: '777', text: 'I am looking into it now.' } },
    { text: 'I am looking into it now.' },
  ]);
  const bot = await home.start({ channels: [bench.makeChannel()] });
  await bench.deliver({ message: message(1, { text: 'now' }) });
  await bot.idle();
  expect(bench.api.chats.shown.map(({ text }) => text)).toEqual(['I am looking into it now.']);
});
