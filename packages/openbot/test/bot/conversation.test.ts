import { expect, test } from 'vitest';
import { BotHome, Chat, MAIN, textsOf } from './bot-home.ts';

const COUNTING = {
  turns: [{ steps: [{ text: 'first' }] }, { steps: [{ text: 'second' }] }, { steps: [{ text: 'third' }] }],
};

test('the first message makes a session, the second continues it', async () => {
  const home = new BotHome();
  const bot = await home.open({ script: COUNTING });
  expect(await bot.say({ message: 'hello' })).toMatchObject({
    sessionKey: MAIN,
    outcome: 'answered',
    payloads: [{ text: 'first' }],
  });
  const { sessionId, systemSent, status } = home.entryOf();
  expect({ systemSent, status }).toEqual({ systemSent: true, status: 'done' });

  expect(textsOf(await bot.say({ message: 'and again' }))).toEqual(['second']);
  expect(home.entryOf().sessionId).toBe(sessionId);
  expect(home.saidIn()).toEqual(['user: hello', 'assistant: first', 'user: and again', 'assistant: second']);
  home.checkTranscripts();
});

test('a conversation goes on after a restart, and says once which model it has', async () => {
  const home = new BotHome();
  const bot = await home.open();
  await bot.say({ message: 'my cat is called Minka' });
  await bot.close();
  const later = await home.open();
  expect(textsOf(await later.say({ message: 'what did I say about my cat?' }))[0]).toContain('Minka');
  const types = home.linesOf().map(({ type }) => type);
  expect(types.filter((type) => type === 'model_change')).toHaveLength(1);
  expect(home.entryOf()).toMatchObject({ abortedLastRun: false, model: 'echo', modelProvider: 'script' });
});

test('/new with an alias starts a session with another model', async () => {
  const home = new BotHome();
  home.writeScript('fast', { turns: [{ steps: [{ text: 'fast: {{prompt}}' }] }] });
  const config = { agents: { defaults: { models: { 'script/fast': { alias: 'quick' } } } } };
  home.time = Date.UTC(2026, 0, 12, 20, 19, 17);
  const bot = await home.open({ config });
  await bot.say({ message: 'hello' });
  const before = home.entryOf().sessionId;

  const answer = await bot.say({ message: '/new quick summarize this' });
  expect(answer).toMatchObject({ provider: 'script', model: 'fast' });
  expect(answer.sessionId).not.toBe(before);
  expect(home.saidIn()[0]).toBe(
    'user: System: [2026-01-12 20:19:17 UTC] Model switched. script/fast answers from now on.\n\nsummarize this',
  );
  expect(home.entryOf()).toMatchObject({ providerOverride: 'script', modelOverride: 'fast' });
  // It stays for the messages that follow, and nothing more is said of it.
  expect(await bot.say({ message: 'go on' })).toMatchObject({ model: 'fast' });
  expect(home.saidIn().at(-2)).toBe('user: go on');
  expect(await bot.say({ message: '/new quick hello' })).toMatchObject({ model: 'fast' });
  expect(home.saidIn()[0]).toBe('user: hello');
});

test('a session that was idle for too long begins anew', async () => {
  const home = new BotHome();
  home.time = Date.UTC(2026, 0, 12, 12);
  const config = { session: { reset: { mode: 'idle', idleMinutes: 30 } } } as const;
  const bot = await home.open({ config, script: COUNTING });
  const first = await bot.say({ message: 'one' });
  home.time += 29 * 60_000;
  expect((await bot.say({ message: 'two' })).sessionId).toBe(first.sessionId);
  home.time += 31 * 60_000;
  const later = await bot.say({ message: 'three' });
  expect(later.sessionId).not.toBe(first.sessionId);
  expect(home.saidIn()).toEqual(['user: three', 'assistant: third']);
});

test.each([
  ['UTC', Date.UTC(2026, 0, 13, 3, 59), Date.UTC(2026, 0, 13, 4, 1)],
  ['America/Los_Angeles', Date.UTC(2026, 0, 13, 11, 59), Date.UTC(2026, 0, 13, 12, 1)],
  ['Asia/Kolkata', Date.UTC(2026, 0, 12, 22, 29), Date.UTC(2026, 0, 12, 22, 31)],
])('the day of a session ends at four in the morning in %s', async (userTimezone, before, after) => {
  const home = new BotHome();
  home.time = before - 3_600_000;
  const bot = await home.open({ config: { agents: { defaults: { userTimezone } } } });
  const first = await bot.say({ message: 'one' });
  home.time = before;
  expect((await bot.say({ message: 'two' })).sessionId).toBe(first.sessionId);
  home.time = after;
  expect((await bot.say({ message: 'three' })).sessionId).not.toBe(first.sessionId);
});

test('a new main session begins with a line for each channel, later messages do not', async () => {
  const home = new BotHome();
  const chat = new Chat({ name: 'telegram' });
  const bot = await home.open({ script: COUNTING, channels: [chat.channel] });
  await chat.write('alice', 'hello');
  await bot.idle();
  await chat.write('alice', 'again');
  await bot.idle();
  expect(home.saidIn()).toEqual([
    'user: System: telegram: connected as default\n\nhello',
    'assistant: first',
    'user: again',
    'assistant: second',
  ]);
  expect(chat.shown).toEqual(['alice: first', 'alice: second']);
});

test('an agent is told of the channels whose messages can come to it, and of no others', async () => {
  const home = new BotHome();
  const channels = ['telegram', 'signal', 'irc'].map((name) => new Chat({ name }).channel);
  const bot = await home.open({
    script: COUNTING,
    channels,
    config: {
      agents: { list: [{ id: 'main' }, { id: 'work' }, { id: 'quiet' }] },
      bindings: [
        { agentId: 'work', match: { channel: 'telegram' } },
        { agentId: 'work', match: { channel: 'signal', group: 'g1' } },
      ],
    },
  });
  for (const agentId of ['main', 'work', 'quiet']) await bot.say({ agentId, message: 'hello' });
  const linesFor = (agentId: string) => home.saidIn(`agent:${agentId}:main`)[0]!.match(/(?<=System: )\w+/g);
  expect(linesFor('main')).toEqual(['signal', 'irc']);
  expect(linesFor('work')).toEqual(['telegram', 'signal']);
  expect(linesFor('quiet')).toBeNull();
});

test('an event is read once, before the next message, also after a restart', async () => {
  const home = new BotHome();
  home.time = Date.UTC(2026, 0, 12, 20, 19, 17);
  const config = { agents: { defaults: { userTimezone: 'America/Los_Angeles' } } };
  const bot = await home.open({ script: COUNTING, config });
  await bot.addSystemEvent(MAIN, 'The build has failed.');
  await bot.close();
  const later = await home.open({ script: COUNTING, config });
  await later.say({ message: 'hello' });
  await later.say({ message: 'again' });
  expect(home.saidIn().filter((line) => line.startsWith('user'))).toEqual([
    'user: System: [2026-01-12 12:19:17 PST] The build has failed.\n\nhello',
    'user: again',
  ]);
});
