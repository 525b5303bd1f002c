/** What people see while an agent writes. */
import { expect, test, vi } from 'vitest';
import type { ChannelCapabilities } from '../../src/channels/contract.ts';
import type { BotConfig } from '../../src/config/bot-config.ts';
import { resolveStreaming } from '../../src/config/channels.ts';
import { ManualClock } from '../setup/manual-clock.ts';
import { BotHome, Chat, MemoryNetwork, PARROT, type Play } from './bot-home.ts';

const waitFor = (isSo: () => boolean) => vi.waitUntil(isSo, { timeout: 60_000, interval: 2 });

/** A model that says each text when it is told to. */
function makeWriter() {
  const texts: (string | undefined)[] = [];
  let wake = () => {};
  const add = (text: string | undefined) => {
    texts.push(text);
    wake();
  };
  const play: Play = async function* () {
    for (;;) {
      while (texts.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      const text = texts.shift();
      if (text === undefined) return;
      yield { text };
    }
  };
  return { play, say: (text: string) => add(text), end: () => add(undefined) };
}

async function open({
  streaming,
  home = new BotHome(),
  network = new MemoryNetwork(),
  capabilities = {},
  config = {},
  play,
}: {
  streaming?: 'partial' | 'block';
  home?: BotHome;
  network?: MemoryNetwork;
  capabilities?: Partial<ChannelCapabilities>;
  config?: BotConfig;
  play: Play;
}) {
  const clock = new ManualClock(Date.now());
  const chat = new Chat({ network, capabilities: { canEdit: true, ...capabilities } });
  const bot = await home.open({
    channels: [chat.channel],
    clock,
    play,
    config: { channels: { memory: { streaming } }, ...config },
  });
  /** Time passes until people see this. */
  const until = async (isSo: () => boolean) => {
    for (let n = 0; !isSo(); n++) {
      if (n > 5000) expect(network.shown).toBe('something else');
      await clock.advance(1500);
    }
  };
  const texts = () => network.shown.map(({ payload }) => payload.text);
  return { home, bot, chat, network, clock, until, texts };
}

test('partial: a draft grows, and the reply takes its place', async () => {
  const writer = makeWriter();
  const { bot, chat, network, until, texts } = await open({ streaming: 'partial', play: writer.play });
  await chat.write('ada', 'hello');
  writer.say('Hello ');
  await until(() => texts().length === 1);
  expect(texts()).toEqual(['Hello …']);
  writer.say('world. [[reply_to');
  await until(() => network.edits.length === 1);
  expect(texts()).toEqual(['Hello world. …']);
  writer.say('_current]]');
  writer.end();
  await bot.idle();
  expect(texts()).toEqual(['Hello world.']);
});

test('partial: a long reply begins in the place of its draft and goes on behind it', async () => {
  const writer = makeWriter();
  const { bot, chat, network, until, texts } = await open({
    streaming: 'partial',
    play: writer.play,
    capabilities: { textLimit: 12 },
  });
  await chat.write('ada', 'hello');
  writer.say('one two');
  await until(() => texts().length === 1);
  // The rest is refused once: what is shown is not shown again.
  const take = network.take.bind(network);
  let isRefused = false;
  network.take = (request) => {
    if (!isRefused) network.addFault({ fault: 'refuse' });
    isRefused = true;
    return take(request);
  };
  writer.say(' three four five');
  writer.end();
  await bot.idle();
  expect(isRefused).toBe(true);
  expect(texts().join(' ').replace(/\s+/g, ' ')).toBe('one two three four five');
  expect(texts()[0]).toBe('one two');
});

test('partial: after a crash the reply still takes the place of the draft', async () => {
  const writer = makeWriter();
  const { home, bot, chat, network, until, texts } = await open({ streaming: 'partial', play: writer.play });
  await chat.write('ada', 'hello');
  writer.say('Half of ');
  await until(() => texts().length === 1);
  await bot.close();
  expect(texts()).toEqual(['Half of …']);
  const again = await open({
    streaming: 'partial',
    home,
    network,
    play: () => [{ text: 'All of it.' }],
  });
  await again.bot.idle();
  expect(texts()).toEqual(['All of it.']);
});

test('partial: a draft that cannot be edited stays, and the reply is sent', async () => {
  const writer = makeWriter();
  const { bot, chat, network, until, texts } = await open({ streaming: 'partial', play: writer.play });
  await chat.write('ada', 'hello');
  writer.say('Hello ');
  await until(() => texts().length === 1);
  network.edit = async () => {
    throw Object.assign(new Error('too old'), { isPermanent: true, mayHaveArrived: false });
  };
  writer.say('world.');
  writer.end();
  await bot.idle();
  expect(texts()).toEqual(['Hello …', 'Hello world.']);
});

test('partial: a draft whose turn is stopped does not look as if it went on', async () => {
  const writer = makeWriter();
  const { bot, chat, until, texts } = await open({ streaming: 'partial', play: writer.play });
  await chat.write('ada', 'hello');
  writer.say('One, two,');
  await until(() => texts().length === 1);
  expect(texts()).toEqual(['One, two, …']);
  await chat.write('ada', '/stop', { ctx: { CommandAuthorized: true } });
  await until(() => texts().length === 2);
  writer.say(' three.');
  writer.end();
  await bot.idle();
  expect(texts()[0]).toBe('One, two,');
  expect(texts().filter((text) => text?.includes('One'))).toHaveLength(1);
});

test('partial: edits are as seldom as the network wants, and stay seldom where it was too often', async () => {
  const writer = makeWriter();
  const { bot, chat, network, clock, until, texts } = await open({
    streaming: 'partial',
    play: writer.play,
    capabilities: { editEveryMs: { direct: 1500, group: 6000 } },
    config: {
      channels: { memory: { streaming: 'partial', groups: { '*': { requireMention: false } } } },
      messages: { queue: { debounceMs: 0 } },
    },
  });
  await chat.writeInGroup('g', { name: 'Ada', id: '1' }, 'hello');
  writer.say('One');
  await until(() => texts().length === 1);
  const edited = async (text: string) => {
    const [before, { length }] = [clock.now(), network.edits];
    writer.say(text);
    await until(() => network.edits.length > length);
    return clock.now() - before;
  };
  expect(await edited(' two')).toBeGreaterThanOrEqual(6000);
  const edit = network.edit.bind(network);
  network.edit = async () => {
    network.edit = edit;
    throw Object.assign(new Error('busy'), {
      isPermanent: false,
      mayHaveArrived: false,
      retryAfterMs: 30_000,
    });
  };
  expect(await edited(' three')).toBeGreaterThanOrEqual(36_000);
  expect(await edited(' four')).toBeGreaterThanOrEqual(12_000);
  writer.end();
  await bot.idle();
  expect(texts()).toEqual(['One two three four']);
});

test('partial: an answer that is none is never seen, nor anything where the network cannot edit', async () => {
  const writer = makeWriter();
  const one = await open({ streaming: 'partial', play: writer.play });
  await one.chat.write('ada', 'hello');
  writer.say('NO_');
  writer.say('REPLY');
  writer.end();
  await one.bot.idle();
  expect(one.texts()).toEqual([]);
  const two = await open({ streaming: 'partial', play: PARROT, capabilities: { canEdit: false } });
  await two.chat.write('ada', 'say hello');
  await two.bot.idle();
  expect(two.texts()).toEqual(['hello']);
  expect(two.network.edits).toEqual([]);
});

test('block: each paragraph is sent when it is done, and the reply has the rest', async () => {
  const writer = makeWriter();
  const { bot, chat, texts } = await open({ streaming: 'block', play: writer.play });
  await chat.write('ada', 'hello');
  const first = `The first paragraph. ${'It is long. '.repeat(12)}`.trim();
  const code = `\`\`\`\n${'a line of code\n\n'.repeat(10)}\`\`\``;
  writer.say(`${first}\n\nThe sec`);
  await waitFor(() => texts().length === 1);
  expect(texts()).toEqual([first]);
  writer.say(`ond one.\n\n${code}\n\nThe end.`);
  await waitFor(() => texts().length === 2);
  writer.end();
  await bot.idle();
  expect(texts()).toEqual([first, `The second one.\n\n${code}`, 'The end.']);
});

test('the forms of OpenClaw are read, and what is not known here is off', () => {
  expect(resolveStreaming({ streaming: { mode: 'block' } })).toBe('block');
  expect(resolveStreaming({ streaming: 'partial' })).toBe('partial');
  for (const streaming of ['progress', 'off', true, false, undefined, {}] as const)
    expect(resolveStreaming({ streaming })).toBe('off');
});

test('signs: activity while it writes, a reaction that goes, and the menu of commands', async () => {
  const writer = makeWriter();
  const capabilities = { canReact: true, canShowActivity: true, hasCommandMenu: true };
  const messages = { ackReaction: '👀', ackReactionScope: 'all' as const, removeAckAfterReply: true };
  const { bot, chat, network, until } = await open({ play: writer.play, capabilities, config: { messages } });
  await waitFor(() => network.commands.length > 0);
  expect(network.commands).toContainEqual({
    name: 'status',
    description: expect.any(String),
    takesText: false,
  });
  await chat.write('ada', 'hello', { id: '7' });
  await waitFor(() => network.reactions.get('7') === '👀');
  await until(() => network.activity.length >= 3);
  writer.say('Hello.');
  writer.end();
  await bot.idle();
  await waitFor(() => network.reactions.size === 0);
  const before = network.activity.length;
  await until(() => true);
  expect(network.activity).toHaveLength(before);
});

test('the scope says which messages get the reaction, and an account may have another', async () => {
  const channels = {
    memory: { groups: { '*': { requireMention: false } }, accounts: { work: { ackReaction: '✅' } } },
  };
  const config = { messages: { ackReaction: '👀', queue: { debounceMs: 0 } }, channels };
  const capabilities = { canReact: true, canShowActivity: true };
  const { bot, chat, network } = await open({ play: PARROT, capabilities, config });
  const ada = { name: 'Ada', id: '1' };
  await chat.write('ada', 'say a');
  await chat.writeInGroup('g', ada, 'say b', { MessageSid: 'x' });
  await chat.writeInGroup('g', ada, 'say c', { WasMentioned: true });
  await bot.idle();
  expect([...network.reactions]).toEqual([['g3', '👀']]);
  // The answers came at once.
  expect(network.activity).toEqual([]);

  const work = new Chat({ accountId: 'work', capabilities: { canReact: true } });
  await bot.openChannel(work.channel);
  await work.writeInGroup('g', ada, 'say d', { WasMentioned: true });
  await bot.idle();
  expect([...work.channel.network.reactions]).toEqual([['g1', '✅']]);
});
