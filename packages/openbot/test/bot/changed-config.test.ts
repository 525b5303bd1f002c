/** Messages that wait or run while the configuration changes. */
import { mkdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { BotConfig } from '../../src/config/bot-config.ts';
import { openState } from '../../src/state/open-state.ts';
import { makeVersion1 } from '../database/version-1.ts';
import { BotHome, Chat, type HomeOptions, type Play } from './bot-home.ts';

type Config = { -readonly [Name in keyof BotConfig]: BotConfig[Name] };

const WITH_ALIAS: BotConfig['agents'] = {
  defaults: { model: 'script/echo', models: { 'script/fast': { alias: 'quick' } } },
};
const WITHOUT: BotConfig['agents'] = { defaults: { model: 'script/echo' } };

/** A model whose first answer waits for `goOn`. */
function makeModel() {
  const gate = Promise.withResolvers<void>();
  const entered = Promise.withResolvers<void>();
  const prompts: string[] = [];
  const play: Play = async function* ({ prompt }) {
    const said = prompt.split('\n').at(-1)!;
    prompts.push(said);
    entered.resolve();
    if (prompts.length === 1) await gate.promise;
    yield { text: `to: ${said}` };
  };
  return { play, prompts, entered: entered.promise, goOn: () => gate.resolve() };
}

async function open(config: Config, options: HomeOptions = {}) {
  const home = new BotHome();
  const chat = new Chat();
  const model = makeModel();
  const listeners = new Set<() => void>();
  const bot = await home.open({
    config,
    channels: [chat.channel],
    play: model.play,
    onConfigChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    ...options,
  });
  const change = (to: Partial<Config>) => {
    Object.assign(config, to);
    for (const listener of listeners) listener();
  };
  return { home, chat, model, bot, change };
}

test('a message stays in its lane when another configuration would read it otherwise', async () => {
  const { home, chat, model, bot, change } = await open({
    channels: { memory: { allowFrom: ['ada'] } },
    agents: WITH_ALIAS,
  });
  await chat.write('ada', '/quick write the report');
  await model.entered;
  change({ agents: WITHOUT });
  // Wakes the lane of the asides, which must not take the running message for its own.
  await chat.write('ada', '/whoami');
  await chat.until((line) => line.startsWith('ada: You: ada'));
  model.goOn();
  await bot.idle();
  expect(chat.shown).toEqual([expect.stringMatching(/^ada: You: ada/), 'ada: to: write the report']);
  expect(model.prompts).toEqual(['write the report']);
  const state = await openState(home.stateDir);
  expect(await state.inbox.get(1)).toMatchObject({ kind: 'text', state: 'answered', tries: 1 });
  await state.close();
});

test('nor does another process with another configuration begin its turn again', async () => {
  const channels = { memory: { allowFrom: ['ada'] } };
  const { home, chat, model, bot } = await open({ channels, agents: WITH_ALIAS });
  await chat.write('ada', '/quick write the report');
  await model.entered;
  const other = makeModel();
  const second = await home.open({
    config: { channels, agents: WITHOUT },
    channels: [chat.again().channel],
    play: other.play,
  });
  model.goOn();
  await Promise.all([bot.idle(), second.idle()]);
  expect(chat.shown).toEqual(['ada: to: write the report']);
  expect(other.prompts).toEqual([]);
});

test.each([['/compact and forget the rest'], ['/new and hello'], ['/think high']])(
  '%s of a sender who may give no commands any more reaches no model',
  async (text) => {
    const messages = { queue: { mode: 'followup', debounceMs: 0 } } as const;
    const { home, chat, model, bot, change } = await open({
      channels: { memory: { allowFrom: ['ada', 'eve'] } },
      messages,
    });
    // Holds up the lane of the asides too.
    const state = await openState(home.stateDir);
    const asides = await state.runLock.acquire('agent:main:main#asides', { waitMs: 0 });
    await chat.write('ada', 'one');
    await model.entered;
    await chat.write('eve', text);
    await chat.write('eve', 'two');
    change({ channels: { memory: { allowFrom: ['ada'] } } });
    await asides?.release();
    model.goOn();
    await bot.idle();
    expect(model.prompts).toEqual(['one', 'two']);
    expect(chat.shown).toEqual(['ada: to: one', 'eve: to: two']);
    const reason = 'a command of a sender who may give none';
    expect(await state.inbox.get(2)).toMatchObject({ state: 'dropped', reason });
    expect(home.notices.map(({ message }) => message)).toContain(
      `1 message of agent:main:main gets no answer: ${reason}`,
    );
    await state.close();
  },
);

test('what an inbox of version 1 has is answered, and its kinds are decided', async () => {
  const home = new BotHome();
  mkdirSync(home.stateDir, { recursive: true });
  makeVersion1(home.stateDir);
  const chat = new Chat();
  const bot = await home.open({
    config: { channels: { memory: { allowFrom: ['ada'] } } },
    channels: [chat.channel],
    play: ({ prompt }) => [{ text: prompt.split('\n').at(-1)!.replace('say ', '') }],
  });
  await bot.idle();
  expect(chat.shown.map((line) => line.split('\n')[0]).sort()).toEqual([
    'ada: You: ada',
    'ada: the first',
    'ada: the last',
  ]);
  const { inbox, close } = await openState(home.stateDir);
  const kinds = await Promise.all([1, 2, 3, 4, 5].map(async (seq) => (await inbox.get(seq))?.kind));
  expect(kinds).toEqual([undefined, 'text', 'aside', 'text', undefined]);
  await close();
});
