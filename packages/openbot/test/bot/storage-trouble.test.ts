import { OpenBotError } from '@openbot/sessions';
import { expect, test } from 'vitest';
import { type BotState, openState } from '../../src/state/open-state.ts';
import { BotHome, Chat, PARROT, textsOf } from './bot-home.ts';

/** A state whose transcripts fail at one write, the nth. */
async function openFlawed(home: BotHome, { nth, error }: { nth: number; error: Error }): Promise<BotState> {
  const state = await openState(home.stateDir);
  let count = 0;
  const append: BotState['transcripts']['append'] = async (...args) => {
    if (++count === nth) throw error;
    return state.transcripts.append(...args);
  };
  return { ...state, transcripts: { ...state.transcripts, append } };
}

const lockTimeout = () =>
  new OpenBotError('LOCK_TIMEOUT', '/home/ada/agents/main/x.jsonl.lock is held by process 4242');

const repliesOf = (home: BotHome) => home.saidIn().filter((line) => line.startsWith('assistant: '));

test('a transcript that fails at the answer is waited for: one reply, and no word of the model', async () => {
  const home = new BotHome();
  const chat = new Chat();
  const state = await openFlawed(home, { nth: 2, error: lockTimeout() });
  const bot = await home.open({ channels: [chat.channel], state, play: () => [{ text: 'hello' }] });
  await chat.write('ada', 'say hello');
  await bot.idle();
  expect(chat.shown).toEqual(['ada: hello']);
  expect(repliesOf(home)).toEqual(['assistant: hello']);
  expect(home.notices.map(({ message }) => message).join()).toContain('is tried again');
  home.checkTranscripts();
});

test('a transcript that fails at the result of a tool leaves a run that goes on', async () => {
  const home = new BotHome();
  const chat = new Chat();
  const state = await openFlawed(home, { nth: 3, error: lockTimeout() });
  let runs = 0;
  const bot = await home.open({
    channels: [chat.channel],
    state,
    play: () => (++runs === 1 ? [{ text: 'I look.' }, { tool: 'list_files' }] : [{ text: 'hello' }]),
  });
  await chat.write('ada', 'say hello');
  await bot.idle();
  expect(chat.shown).toEqual(['ada: hello']);
  expect(runs).toBe(2);
  home.checkTranscripts();
});

test('a command gets its answer after a write of its run failed', async () => {
  const home = new BotHome();
  const state = await openFlawed(home, { nth: 2, error: lockTimeout() });
  const bot = await home.open({ state, play: () => [{ text: 'hello' }] });
  const said = await bot.say({ message: 'say hello' });
  expect(said).toMatchObject({ outcome: 'answered', error: undefined });
  expect(textsOf(said)).toEqual(['hello']);
});

test('no other model is tried for a transcript that fails', async () => {
  const home = new BotHome();
  const chat = new Chat();
  const state = await openFlawed(home, { nth: 2, error: lockTimeout() });
  const asked: string[] = [];
  const bot = await home.open({
    channels: [chat.channel],
    state,
    config: { agents: { defaults: { model: { primary: 'script/one', fallbacks: ['script/two'] } } } },
    play: ({ model }) => {
      asked.push(model);
      return [{ text: 'hello' }];
    },
  });
  await chat.write('ada', 'say hello');
  await bot.idle();
  expect(asked).toEqual(['one', 'one']);
  expect(chat.shown).toEqual(['ada: hello']);
});

test('a run lock that was lost is no reply', async () => {
  const home = new BotHome();
  const chat = new Chat();
  const state = await openState(home.stateDir);
  let isLost = false;
  const acquire: BotState['runLock']['acquire'] = async (...args) => {
    const lock = await state.runLock.acquire(...args);
    return lock && { ...lock, isHeld: () => !isLost && lock.isHeld() };
  };
  let runs = 0;
  const bot = await home.open({
    channels: [chat.channel],
    state: { ...state, runLock: { ...state.runLock, acquire } },
    play: () => {
      isLost = ++runs === 1;
      return [{ text: 'hello' }];
    },
    report: () => {
      isLost = false;
    },
  });
  await chat.write('ada', 'say hello');
  await bot.idle();
  expect(chat.shown).toEqual(['ada: hello']);
  expect(runs).toBe(2);
});

test('a command whose message another process answers after storage failed reports that answer', async () => {
  const home = new BotHome();
  const state = await openState(home.stateDir);
  const { outbox, runLock } = state;
  const failed = Promise.withResolvers<void>();
  const put: BotState['outbox']['put'] = async () => {
    failed.resolve();
    throw new OpenBotError('DATABASE_BUSY', 'The database is busy');
  };
  let tries = 0;
  // After its failure the first process never gets the session again.
  const acquire: BotState['runLock']['acquire'] = async (...args) =>
    ++tries > 1 ? undefined : runLock.acquire(...args);
  const first = await home.open({
    play: PARROT,
    state: { ...state, outbox: { ...outbox, put }, runLock: { ...runLock, acquire } },
  });
  const said = first.say({ message: 'say hello' });
  await failed.promise;
  const second = await home.open({ play: PARROT });
  expect(textsOf(await second.say({ message: 'say other' }))).toEqual(['other']);
  expect(textsOf(await said)).toEqual(['hello']);
  expect(repliesOf(home)).toEqual(['assistant: hello', 'assistant: other']);
});
