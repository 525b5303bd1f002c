import { expect, test } from 'vitest';
import type { BotConfig } from '../../src/config/bot-config.ts';
import type { ScriptStep } from '../../src/runners/script/script.ts';
import { openState } from '../../src/state/open-state.ts';
import { BotHome, Chat, type HomeOptions, MAIN, PARROT, type Play, textsOf } from './bot-home.ts';

const CONFIG: BotConfig = {
  agents: { defaults: { model: 'script/far' } },
  session: { dmScope: 'per-peer' },
  messages: { queue: { mode: 'followup', debounceMs: 0 } },
  channels: { memory: { allowFrom: ['*'] } },
};
const ONE_SESSION: BotConfig = { ...CONFIG, session: { dmScope: 'main' } };
const SOON = { firstMs: 5, mostMs: 20 };
const NEVER = { firstMs: 3_600_000, mostMs: 3_600_000 };
const NOTICE =
  '⚠️ script/far cannot be reached. Your message is kept, and so is what you write meanwhile: it is answered in order when that is over. /stop withdraws it.';

/** A model that is there or not. */
function provider(down: readonly ScriptStep[] = [{ fail: 'connect ECONNREFUSED', failure: 'unreachable' }]) {
  const model = { isDown: true, down, tries: 0, asked: [] as string[] };
  const play: Play = (question) => {
    if (model.isDown) {
      model.tries++;
      return model.down;
    }
    model.asked.push(question.prompt);
    return PARROT(question);
  };
  return { model, play };
}

async function openChat(options: HomeOptions & { readonly home?: BotHome; readonly chat?: Chat }) {
  const { home = new BotHome(), chat = new Chat(), ...more } = options;
  const bot = await home.open({ config: CONFIG, outagePauses: SOON, channels: [chat.channel], ...more });
  return { home, chat, bot };
}

/** Resolves when a model that is down was tried so many times. */
async function untilTried(model: { readonly tries: number }, times: number): Promise<void> {
  await expect.poll(() => model.tries, { timeout: 60_000, interval: 5 }).toBeGreaterThanOrEqual(times);
}

test('people are told once; over restarts all messages wait, and then each has its turn, once and in order', async () => {
  const { model, play } = provider();
  const first = await openChat({ play });
  const people = ['ann', 'bob', 'cem'];
  for (const n of [1, 2])
    await Promise.all(people.map((person) => first.chat.write(person, `say ${person} ${n}`)));
  await untilTried(model, 12);
  await Promise.all(people.map((person) => first.chat.until((line) => line.startsWith(person))));
  await first.bot.close();
  const chat = first.chat.again();
  const { home } = first;
  const second = await openChat({ home, chat, play });
  await Promise.all(people.map((person) => chat.write(person, `say ${person} 3`)));
  await untilTried(model, 24);
  const told = (person: string) => chat.shown.filter((line) => line.startsWith(`${person}:`));
  for (const person of people) expect(told(person)).toEqual([`${person}: ${NOTICE}`]);

  model.isDown = false;
  await second.bot.idle();
  for (const person of people)
    expect(told(person).slice(1)).toEqual([1, 2, 3].map((n) => `${person}: ${person} ${n}`));
  expect(model.asked).toHaveLength(9);
  // However often it was tried: what people and the agent said, and no more.
  expect(home.saidIn('agent:main:dm:ann').map((line) => line.replace(/\[.*\] /, ''))).toEqual(
    [1, 2, 3].flatMap((n) => [expect.stringContaining(`say ann ${n}`), `assistant: ann ${n}`]),
  );
  expect(home.linesOf('agent:main:dm:ann').filter(({ type }) => type === 'model_change')).toHaveLength(1);
  // For the owner once for each process, and not for each person or try.
  const began = 'script/far cannot be reached. Messages wait for it.';
  expect(home.notices.map(({ message }) => message)).toEqual([began, began, 'script/far answers again.']);
  home.checkTranscripts();
});

test('a run that fails after the model has answered a later one begins no outage', async () => {
  const { model, play } = provider();
  const late = Promise.withResolvers<void>();
  let isAsked = false;
  const slow: Play = (question) => {
    if (isAsked || !question.prompt.includes('late')) return play(question);
    isAsked = true;
    return (async function* () {
      await late.promise;
      yield* model.down;
    })();
  };
  const { chat, bot, home } = await openChat({ play: slow });
  await chat.write('ann', 'say early');
  await chat.until((line) => line === `ann: ${NOTICE}`);
  await chat.write('bob', 'say late');
  await expect.poll(() => isAsked, { timeout: 60_000 }).toBe(true);
  model.isDown = false;
  const notices = () => home.notices.map(({ message }) => message);
  const ended = ['script/far cannot be reached. Messages wait for it.', 'script/far answers again.'];
  await expect.poll(notices, { timeout: 60_000 }).toEqual(ended);
  late.resolve();
  await bot.idle();
  expect(chat.shown.filter((line) => line.startsWith('bob'))).toEqual([`bob: ${NOTICE}`, 'bob: late']);
  expect(notices()).toEqual(ended);
});

test('a try that the end of the process cut off leaves the message as it is', async () => {
  const { model, play } = provider();
  let tries = 0;
  const stalls: Play = (question) => (tries++ === 0 ? play(question) : [{ stall: true }]);
  const first = await openChat({ play: stalls });
  await first.chat.write('ann', 'say hello');
  await expect.poll(() => tries, { timeout: 60_000 }).toBe(2);
  await first.bot.close();
  model.isDown = false;
  const chat = first.chat.again();
  const second = await openChat({ home: first.home, chat, play });
  await second.bot.idle();
  expect(chat.shown).toEqual([`ann: ${NOTICE}`, 'ann: hello']);
  expect(model.asked).toEqual([expect.stringContaining('say hello')]);
});

test('a run that was cut off in the middle goes on, and what it did is not done again', async () => {
  const write: ScriptStep = { tool: 'write_file', args: { path: 'a.md', content: 'A' } };
  const { model, play } = provider([write, { fail: '529', failure: 'overloaded' }]);
  const { home, chat, bot } = await openChat({ play, outagePauses: NEVER });
  await chat.write('ann', 'say done');
  await chat.until((line) => line.includes('is overloaded'));
  model.down = [{ fail: '529', failure: 'overloaded' }];
  await chat.write('ann', '/status');
  await untilTried(model, 2);
  await chat.write('ann', '/status');
  await untilTried(model, 3);
  model.isDown = false;
  await chat.write('ann', '/status');
  await bot.idle();
  expect(model.asked).toEqual([
    expect.stringMatching(/^System: .* no model could be reached. Answer the last message/),
  ]);
  expect(home.linesOf('agent:main:dm:ann').filter(({ message }) => message?.role === 'user')).toHaveLength(2);
  home.checkTranscripts();
});

test('a model that answers one session is tried for those that wait', async () => {
  const { model, play } = provider();
  const { chat, bot } = await openChat({ play, outagePauses: NEVER });
  for (const person of ['ann', 'bob', 'cem', 'dan']) {
    await chat.write(person, `say hello ${person}`);
    await chat.until((line) => line.startsWith(person));
  }
  model.isDown = false;
  await chat.write('eve', 'say hello eve');
  await bot.idle();
  expect(chat.shown.slice(4).sort()).toEqual(
    ['ann', 'bob', 'cem', 'dan', 'eve'].map((person) => `${person}: hello ${person}`),
  );
});

test('another model that the person chooses answers at once', async () => {
  const { play } = provider();
  const near: Play = (question) => (question.model === 'near' ? PARROT(question) : play(question));
  const { chat, bot } = await openChat({ play: near, outagePauses: NEVER });
  await chat.write('ann', 'say one');
  await chat.until((line) => line.includes(NOTICE));
  await chat.write('ann', 'say two');
  await chat.write('ann', '/model script/near');
  await bot.idle();
  expect(chat.shown.filter((line) => /: (one|two)$/.test(line))).toEqual(['ann: one', 'ann: two']);
});

test('/stop withdraws what waits', async () => {
  const { model, play } = provider();
  const { chat, bot, home } = await openChat({ play, outagePauses: NEVER });
  await chat.write('ann', 'say one');
  await chat.until((line) => line.includes(NOTICE));
  await chat.write('ann', 'say two');
  await chat.write('ann', '/stop');
  await bot.idle();
  model.isDown = false;
  await chat.write('ann', 'say three');
  await bot.idle();
  expect(chat.shown.filter((line) => /: (one|two|three)$/.test(line))).toEqual(['ann: three']);
  const state = await openState(home.stateDir);
  expect(await state.inbox.counts()).toMatchObject({ running: 0, queued: 0, received: 0, dropped: 1 });
  await state.close();
});

test('a command in the same session has its error soon, other people there are told, and all messages stay', async () => {
  const { model, play } = provider();
  const { chat, bot } = await openChat({ config: ONE_SESSION, play, outagePauses: NEVER });
  await chat.write('ann', 'say one');
  await chat.until((line) => line === `ann: ${NOTICE}`);
  await chat.write('bob', 'say two');
  await chat.until((line) => line === `bob: ${NOTICE}`);
  expect(model.tries).toBe(1);
  const result = await bot.say({ message: 'say three', sessionKey: MAIN });
  expect(result).toMatchObject({
    outcome: 'failed',
    error: { message: 'script/far cannot be reached. An earlier message of the session waits for it.' },
  });
  expect(model.tries).toBe(2);
  model.isDown = false;
  expect(textsOf(await bot.say({ message: 'say four', sessionKey: MAIN }))).toEqual(['four']);
  await bot.idle();
  expect(chat.shown).toEqual([`ann: ${NOTICE}`, `bob: ${NOTICE}`, 'ann: one', 'bob: two']);
});

test.each(['unauthorised', 'exhausted', undefined] as const)(
  'a failure that stays (%s) is told as an error at once',
  async (failure) => {
    const { play } = provider([{ fail: 'No', failure }]);
    const { chat, bot } = await openChat({ play, outagePauses: NEVER });
    await chat.write('ann', 'say one');
    await bot.idle();
    expect(chat.shown).toEqual([expect.stringContaining('The model failed: No.')]);
  },
);

test('what waits for too long fails, and says so', async () => {
  const { model, play } = provider([{ fail: 'Slow down', failure: 'rate-limited' }]);
  const home = new BotHome();
  home.time = Date.now();
  const config = { ...CONFIG, messages: { queue: { ...CONFIG.messages?.queue, holdHours: 2 } } };
  const { chat, bot } = await openChat({ home, config, play });
  await chat.write('ann', 'say one');
  await untilTried(model, 2);
  home.time += 3_600_000;
  await chat.write('ann', 'say two');
  home.time += 3_600_000;
  await chat.until((line) => line.includes('was given up'));
  await untilTried(model, model.tries + 4);
  model.isDown = false;
  await bot.idle();
  expect(chat.shown).toEqual([
    expect.stringContaining('ann: ⚠️ script/far has reached its rate limit. Your message is kept'),
    'ann: ⚠️ Your message was given up: script/far has reached its rate limit, and that for too long. Send it again if it still matters.',
    'ann: two',
  ]);
});

test('with holdHours 0 nothing waits', async () => {
  const { play } = provider();
  const { chat, bot } = await openChat({
    config: { ...CONFIG, messages: { queue: { holdHours: 0 } } },
    play,
    outagePauses: NEVER,
  });
  await chat.write('ann', 'say one');
  await bot.idle();
  expect(chat.shown).toEqual([expect.stringContaining('The model failed: connect ECONNREFUSED.')]);
});
