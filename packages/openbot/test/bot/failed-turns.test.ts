/** What a person gets of a turn that another run, or another process, should have answered. */
import { expect, test } from 'vitest';
import type { BotConfig } from '../../src/config/bot-config.ts';
import { openState } from '../../src/state/open-state.ts';
import { BotHome, Chat, MAIN, PARROT } from './bot-home.ts';
import { assistant, idleRunner, LeftBehind, TURN } from './left-behind.ts';

const DENY = { session: { sendPolicy: { default: 'deny' } } } satisfies BotConfig;
const GAVE_UP = expect.stringContaining('Your message could not be answered');

const LEFT: readonly (readonly [string, (left: LeftBehind) => Promise<void>])[] = [
  [
    'of the last run',
    async (left) => {
      await left.begin();
      await left.ask([assistant('', { call: 'call_8' })], 8);
    },
  ],
  [
    'of too many beginnings',
    async (left) => {
      await left.addEntry();
      await beginOften(left);
    },
  ],
];

/** More often than a message is tried that never came to a run. */
async function beginOften(left: LeftBehind) {
  const message = await left.begin();
  for (let n = 0; n < 100; n++)
    await left.state.inbox.move([message.seq], { state: 'running', turnId: TURN });
  return message;
}

async function recover(home: BotHome, config: BotConfig = {}): Promise<Chat> {
  const chat = new Chat();
  const bot = await home.open({ config, channels: [chat.channel], runners: { script: idleRunner().runner } });
  await bot.idle();
  await bot.close();
  return chat;
}

test.each(LEFT)('the error %s follows the send policy', async (_, leave) => {
  const policies: readonly (readonly [BotConfig, 'deny' | undefined, readonly unknown[]])[] = [
    [{}, undefined, [GAVE_UP]],
    [DENY, undefined, []],
    [{}, 'deny', []],
  ];
  for (const [config, sendPolicy, shown] of policies) {
    const home = new BotHome();
    await LeftBehind.in(home, leave);
    home.changeEntry(MAIN, { sendPolicy });
    expect((await recover(home, config)).shown).toEqual(shown);
    const state = await openState(home.stateDir);
    expect(await state.inbox.get(1)).toMatchObject({ state: 'failed' });
    await state.close();
  }
});

test('the refusal of an agent that does not exist follows the send policy', async () => {
  const home = new BotHome();
  const chat = new Chat();
  const bindings = [{ agentId: 'ghost', match: { channel: 'memory' } }];
  const bot = await home.open({ config: { ...DENY, bindings }, channels: [chat.channel], play: PARROT });
  await chat.write('eve', 'say a');
  await bot.idle();
  expect(home.notices.some(({ about }) => about === 'configuration')).toBe(true);
  expect(chat.shown).toEqual([]);
});

test('a person who has the answer does not get the error too', async () => {
  const home = new BotHome();
  await LeftBehind.in(home, async (left) => {
    const { agentId, sessionKey } = await beginOften(left);
    const target = { channel: 'memory', accountId: 'default', to: 'ada' };
    const payload = { text: 'hello' };
    await left.state.outbox.put([
      { key: `${TURN}:0`, turnId: TURN, agentId, sessionKey, target, payload, createdAt: 0 },
    ]);
  });
  expect((await recover(home)).shown).toEqual(['ada: hello']);
});

test('a process that lost the lock puts no error in the place of the reply', async () => {
  const home = new BotHome();
  const chat = new Chat();
  const state = await openState(home.stateDir);
  let acquired = 0;
  let isLost = false;
  const runLock: typeof state.runLock = {
    ...state.runLock,
    acquire: async (...args) => {
      const held = await state.runLock.acquire(...args);
      const isFirst = ++acquired === 1;
      return held && { ...held, isHeld: () => !(isFirst && isLost) && held.isHeld() };
    },
  };
  let runs = 0;
  const bot = await home.open({
    channels: [chat.channel],
    state: { ...state, runLock },
    play: () => {
      runs++;
      isLost = true;
      return [{ text: 'hello' }];
    },
  });
  await chat.write('ada', 'hi');
  await bot.idle();
  expect(runs).toBe(2);
  expect(chat.shown).toEqual(['ada: hello']);
});
