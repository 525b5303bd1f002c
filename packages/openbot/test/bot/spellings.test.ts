import { expect, test } from 'vitest';
import { openState } from '../../src/state/open-state.ts';
import { TURN_MARK } from '../../src/transcripts/contract.ts';
import { BotHome, Chat, PARROT, textsOf } from './bot-home.ts';
import { assistant, LeftBehind, mark, user } from './left-behind.ts';

/** How we route a message of ada, and how another program has spelled the session in the store. */
const ROUTED = 'agent:main:memory:dm:ada';
const STORED = 'agent:main:memory:direct:ada';
const config = { session: { dmScope: 'per-channel-peer' } } as const;

/** A turn of the session that a process began and did not end. */
async function leave(home: BotHome, fields: object = {}): Promise<void> {
  await LeftBehind.in(home, async (left) => {
    await left.begin('say hello', ROUTED);
    await left.addEntry(STORED, fields);
    await left.append([mark(TURN_MARK, 'm1'), user('say hello'), assistant('I look.', { call: 'call_1' })]);
  });
}

test('a run that was cut off goes on in a session that the store spells otherwise', async () => {
  const home = new BotHome();
  await leave(home);
  const chat = new Chat();
  const prompts: string[] = [];
  const bot = await home.open({
    config,
    channels: [chat.channel],
    play: ({ prompt }) => {
      prompts.push(prompt);
      return [{ text: 'hello' }];
    },
  });
  await bot.idle();
  expect(prompts).toEqual([expect.stringContaining('Your run was cut off because its process ended.')]);
  expect(chat.shown).toEqual(['ada: hello']);
  const attempts = home
    .linesOf(STORED)
    .flatMap(({ customType, data }) => (customType === TURN_MARK ? [data] : []));
  expect(attempts).toMatchObject([{ attempt: 1 }, { attempt: 2 }]);
  expect(Object.keys(home.entriesOf())).toEqual([STORED]);
  expect(home.entryOf(STORED)).toMatchObject({ status: 'done', abortedLastRun: false });
  home.checkTranscripts();
});

test('settings and /stop reach a session that the store spells otherwise', async () => {
  const home = new BotHome();
  await LeftBehind.in(home, (left) => left.addEntry(STORED, { queueMode: 'interrupt', queueDebounceMs: 0 }));
  const chat = new Chat();
  const bot = await home.open({
    config,
    channels: [chat.channel],
    play: ({ prompt }) =>
      prompt.includes('slow') ? [{ text: 'I begin.' }, { stall: true }] : [{ text: 'second' }],
  });
  const isRunning = async () => {
    const state = await openState(home.stateDir);
    const waiting = await state.inbox.waiting({ agentId: 'main', sessionKey: ROUTED });
    await state.close();
    return waiting.some(({ state: at }) => at === 'running');
  };
  await chat.write('ada', 'slow');
  while (!(await isRunning())) await new Promise((resolve) => setTimeout(resolve, 10));
  // Only a session whose mode is `interrupt` ends the run for it.
  await chat.write('ada', 'say second');
  await bot.idle();
  expect(chat.shown.at(-1)).toBe('ada: second');
  await chat.write('ada', 'slow again');
  while (!(await isRunning())) await new Promise((resolve) => setTimeout(resolve, 10));
  await chat.write('ada', '/stop', { ctx: { CommandAuthorized: true } });
  await bot.idle();
  expect(chat.shown.at(-1)).toBe('ada: Stopped.');
  expect(Object.keys(home.entriesOf())).toEqual([STORED]);
});

test('a key of the adapter or the id of a session means the same session as its other spellings', async () => {
  const home = new BotHome();
  const chat = new Chat();
  const bot = await home.open({ config, channels: [chat.channel], play: PARROT });
  await chat.write('ada', 'say one', { ctx: { SessionKey: 'main' } });
  await chat.write('bob', 'say two', { ctx: { SessionKey: 'agent:main:memory:direct:bob' } });
  await bot.idle();
  expect(Object.keys(home.entriesOf()).sort()).toEqual(['agent:main:main', 'agent:main:memory:dm:bob']);
  await bot.close();

  await LeftBehind.in(home, async (left) => {
    await left.addEntry(STORED);
    const { sessionId } = left;
    const next = await home.open({ config, play: PARROT });
    const said = await next.say({ message: 'say three', sessionId });
    expect(said).toMatchObject({ sessionKey: ROUTED, sessionId });
    expect(textsOf(said)).toEqual(['three']);
    await next.close();
  });
});
