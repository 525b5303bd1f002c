import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { BotConfig } from '../../src/config/bot-config.ts';
import type { Run, Runner } from '../../src/runners/contract.ts';
import { makeScriptRunner } from '../../src/runners/script/runner.ts';
import { openState } from '../../src/state/open-state.ts';
import { asAnswer, BotHome, Chat, MAIN, type Play } from './bot-home.ts';

/** A model that waits in its first run until the test lets it go on. */
class HeldModel {
  readonly #gate = Promise.withResolvers<void>();
  readonly #entered = Promise.withResolvers<void>();
  readonly #offered = Promise.withResolvers<void>();
  readonly prompts: string[] = [];

  readonly play: Play = async function* (this: HeldModel, { prompt }: { prompt: string }) {
    this.prompts.push(prompt);
    if (this.prompts.length === 1) {
      yield { tool: 'list_files', args: { path: '.' } } as const;
      this.#entered.resolve();
      await this.#gate.promise;
    }
    yield { text: `to: ${prompt.split('\n').at(-1)}` };
  }.bind(this) as Play;

  get entered(): Promise<void> {
    return this.#entered.promise;
  }

  /** A message was given to the run. */
  get offered(): Promise<void> {
    return this.#offered.promise;
  }

  get runner(): Runner {
    const script = makeScriptRunner({ script: { contextWindow: 200_000, answer: asAnswer(this.play) } });
    const start: Runner['start'] = (request) => {
      const run = script.start(request);
      const steer: Run['steer'] = (message) => {
        const isTaken = run.steer(message);
        this.#offered.resolve();
        return isTaken;
      };
      return { events: run.events, steer };
    };
    return { ...script, start };
  }

  goOn(): void {
    this.#gate.resolve();
  }
}

async function begin(mode: string, queue: NonNullable<NonNullable<BotConfig['messages']>['queue']> = {}) {
  const home = new BotHome();
  const chat = new Chat();
  const model = new HeldModel();
  const config = { messages: { queue: { mode, debounceMs: 0, ...queue } } } as BotConfig;
  const bot = await home.open({ config, channels: [chat.channel], runners: { script: model.runner } });
  await chat.write('ada', 'one', { id: 'm1' });
  await model.entered;
  return { home, chat, model, bot };
}

/** Until the running turn has looked at what arrived. */
async function untilState(bot: { home: BotHome }, wanted: (counts: Record<string, number>) => boolean) {
  const { DatabaseSync } = await import('node:sqlite');
  const { join } = await import('node:path');
  const database = new DatabaseSync(join(bot.home.stateDir, 'openbot-inbox.sqlite'), { readOnly: true });
  try {
    for (;;) {
      const rows = database.prepare('SELECT state, count(*) AS count FROM inbox GROUP BY state').all();
      if (wanted(Object.fromEntries(rows.map(({ state, count }) => [String(state), Number(count)])))) return;
      await sleep(10);
    }
  } finally {
    database.close();
  }
}

test('steer: a message joins the run, and both get one turn', async () => {
  const { home, chat, model, bot } = await begin('steer');
  await chat.write('ada', 'two', { id: 'm2' });
  // It reads the message at its next step.
  await model.offered;
  model.goOn();
  await bot.idle();
  expect(home.turnsOf()).toEqual([['m1']]);
  const joined = home.linesOf().filter(({ customType }) => customType === 'openbot.joined');
  expect(joined.map(({ data }) => data?.messages)).toEqual([['m2']]);
  expect(home.saidIn().filter((line) => line.startsWith('user'))).toHaveLength(2);
  expect(chat.shown).toEqual(['ada: to: one', 'ada: to: two']);
  home.checkTranscripts();
});

test('complaint 10: followup: each message gets its own turn, in order', async () => {
  const { home, chat, model, bot } = await begin('followup');
  await chat.write('ada', 'two', { id: 'm2' });
  await chat.write('ada', 'three', { id: 'm3' });
  model.goOn();
  await bot.idle();
  expect(home.turnsOf()).toEqual([['m1'], ['m2'], ['m3']]);
  expect(chat.shown).toEqual(['ada: to: one', 'ada: to: two', 'ada: to: three']);
});

test('collect: what arrived during a run is answered together', async () => {
  const { home, chat, model, bot } = await begin('collect');
  await chat.write('ada', 'two', { id: 'm2' });
  await chat.write('ada', 'three', { id: 'm3' });
  model.goOn();
  await bot.idle();
  expect(home.turnsOf()).toEqual([['m1'], ['m2', 'm3']]);
  expect(model.prompts[1]).toBe('two\n\nthree');
  expect(chat.shown).toHaveLength(2);
});

test('interrupt: the run ends early, and the next one is told', async () => {
  const { home, chat, model, bot } = await begin('interrupt');
  await chat.write('ada', 'two', { id: 'm2' });
  await untilState({ home }, ({ queued = 0, running = 0 }) => queued === 1 || running === 0);
  model.goOn();
  await bot.idle();
  expect(home.turnsOf()).toEqual([['m1'], ['m2']]);
  expect(model.prompts[1]).toMatch(
    /^System: \[[^\]]+\] The previous run was ended early by a newer message\. What it was doing may be unfinished\.\n\ntwo$/,
  );
  expect(chat.shown).toEqual(['ada: to: two']);
  expect(home.entryOf()).toMatchObject({ abortedLastRun: false, status: 'done' });
  home.checkTranscripts();
});

const ALLOWED = { ctx: { CommandAuthorized: true } };

test('settings inside a message are not read by a run that it joins', async () => {
  const { home, chat, model, bot } = await begin('steer');
  await chat.write('ada', '/verbose on and two', ALLOWED);
  await model.offered;
  model.goOn();
  await bot.idle();
  expect(home.saidIn().filter((line) => line.startsWith('user: '))).toEqual([
    expect.stringMatching(/one$/),
    'user: and two',
  ]);
  expect(home.entryOf()).not.toHaveProperty('verboseLevel');
});

test('settings inside messages that share a turn count together, and the model reads none', async () => {
  const { home, chat, model, bot } = await begin('collect');
  await chat.write('ada', '/think high two', ALLOWED);
  await chat.write('ada', '/think low three', { ctx: { CommandAuthorized: false } });
  await chat.write('ada', 'four /usage tokens', ALLOWED);
  await untilState({ home }, ({ queued = 0 }) => queued === 3);
  model.goOn();
  await bot.idle();
  expect(model.prompts.slice(1)).toEqual(['two\n\n/think low three\n\nfour /usage tokens']);
  expect(home.entryOf()).toMatchObject({ lastThinkingLevel: 'high' });
});

test('a message can choose its own queue mode', async () => {
  const { chat, model, bot } = await begin('collect');
  await chat.write('ada', '/queue interrupt rather this', ALLOWED);
  await bot.idle();
  expect(chat.shown).toEqual(['ada: to: rather this']);
  expect(model.prompts).toHaveLength(2);
});

test('steer-backlog: the run hears of the message, which then has its own turn', async () => {
  const { home, chat, model, bot } = await begin('steer-backlog');
  await chat.write('ada', 'two', { id: 'm2' });
  await untilState({ home }, ({ queued = 0 }) => queued === 1);
  model.goOn();
  await bot.idle();
  expect(home.turnsOf()).toEqual([['m1'], ['m2']]);
  expect(home.linesOf().filter(({ customType }) => customType === 'openbot.hint')).toHaveLength(1);
  expect(home.linesOf().filter(({ customType }) => customType === 'openbot.joined')).toHaveLength(0);
});

test('a full queue leaves messages out and names them in the next turn', async () => {
  const { home, chat, model, bot } = await begin('followup', { cap: 1, drop: 'summarize' });
  for (const text of ['two', 'three', 'four']) await chat.write('ada', text);
  await untilState({ home }, ({ dropped = 0 }) => dropped === 2);
  model.goOn();
  await bot.idle();
  expect(model.prompts).toHaveLength(2);
  expect(model.prompts[1]).toContain('two');
  expect(model.prompts[1]).toContain('three');
  expect(chat.shown).toEqual(['ada: to: one', 'ada: to: four']);
  expect(home.notices.map(({ about }) => about)).toContain('dropped');
});

const OWNER = { ctx: { CommandAuthorized: true } };

test.each(['/stop', '/abort'])('%s ends the run, withdraws what waits and asks no model', async (stop) => {
  const { home, chat, model, bot } = await begin('followup');
  await chat.write('ada', 'two', OWNER);
  await chat.write('ada', stop, OWNER);
  await untilState({ home }, ({ dropped = 0 }) => dropped === 1);
  model.goOn();
  await bot.idle();
  expect(chat.shown).toEqual(['ada: Stopped.']);
  expect(model.prompts).toEqual(['System: memory: connected as default\n\none']);
  expect(home.entryOf()).toMatchObject({ abortedLastRun: true, abortedBy: 'person', status: 'killed' });

  await chat.write('ada', stop, OWNER);
  await bot.idle();
  expect(chat.shown.at(-1)).toBe('ada: Nothing was running.');
  // Both are noted for the agent.
  expect(
    home
      .saidIn()
      .filter((line) => line.startsWith('assistant'))
      .slice(-2),
  ).toEqual(['assistant: Stopped.', 'assistant: Nothing was running.']);

  await chat.write('ada', 'three');
  await bot.idle();
  expect(model.prompts.at(-1)).toContain('The previous run was ended early by a person.');
  await chat.write('ada', 'four');
  await bot.idle();
  expect(model.prompts.at(-1)).toBe('four');
});

test('Ctrl-C aborts the run of a command, and takes back a message that waits', async () => {
  const home = new BotHome();
  const model = new HeldModel();
  const bot = await home.open({ play: model.play });
  const first = new AbortController();
  const running = bot.say({ message: 'one', signal: first.signal });
  await model.entered;
  const second = new AbortController();
  const waiting = bot.say({ message: 'two', signal: second.signal });
  await untilState({ home }, ({ received = 0, queued = 0 }) => received + queued === 1);
  second.abort();
  expect(await waiting).toMatchObject({ outcome: 'aborted', payloads: [] });
  first.abort();
  model.goOn();
  expect(await running).toMatchObject({ outcome: 'aborted' });
  await bot.idle();
  expect(model.prompts).toHaveLength(1);
  expect(home.entryOf(MAIN)).toMatchObject({ abortedBy: 'person' });
});

test('a /new that is taken back when its turn begins resets nothing', async () => {
  const home = new BotHome();
  const files = await openState(home.stateDir);
  const withdrawing = new AbortController();
  let turns = 0;
  // The turn is chosen, and the person takes the message back before it is marked as running.
  const move: typeof files.inbox.move = async (seqs, to, from) => {
    if (to.state === 'running' && ++turns === 2) {
      withdrawing.abort();
      await files.inbox.move(seqs, { state: 'dropped', reason: 'withdrawn by its sender' });
    }
    return files.inbox.move(seqs, to, from);
  };
  const inbox = new Proxy(files.inbox, {
    get: (target, name) => {
      if (name === 'move') return move;
      const value = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const bot = await home.open({ state: { ...files, inbox } });
  const { sessionId } = await bot.say({ message: 'hello' });
  await bot.say({ message: '/new', signal: withdrawing.signal });
  await bot.idle();
  expect(turns).toBe(2);
  expect(home.entryOf().sessionId).toBe(sessionId);
  expect(home.turnsOf()).toHaveLength(1);
  expect(home.notices).toEqual([]);
  expect((await bot.say({ message: 'again' })).sessionId).toBe(sessionId);
});

test('a message that is taken back at once has no turn, or one that was aborted', async () => {
  const home = new BotHome();
  const bot = await home.open();
  for (let n = 0; n < 20; n++) {
    const controller = new AbortController();
    const said = bot.say({ message: `hello ${n}`, signal: controller.signal });
    if (n % 2 === 0) await sleep(n / 4);
    controller.abort();
    const { outcome } = await said;
    expect(['aborted', 'answered']).toContain(outcome);
  }
  await bot.idle();
});
