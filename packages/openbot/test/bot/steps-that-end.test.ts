/** Steps that fail and are then not tried any more: they are not listed for ever. */
import { expect, test } from 'vitest';
import type { BotConfig } from '../../src/config/bot-config.ts';
import { openState } from '../../src/state/open-state.ts';
import { ManualClock } from '../setup/manual-clock.ts';
import { BotHome, Chat, MAIN } from './bot-home.ts';

const MINUTE = 60_000;
const PATIENCE = { timeout: 60_000, interval: 5 };

test('a heartbeat that fails is listed until the configuration has it no more', async () => {
  const home = new BotHome();
  const clock = new ManualClock(Date.parse('2026-01-10T10:10:00Z'));
  const state = await openState(home.stateDir);
  const accept: typeof state.inbox.accept = async () => {
    throw new Error('the disk fails');
  };
  const agents: { defaults: NonNullable<BotConfig['agents']>['defaults'] } = {
    defaults: { heartbeat: { every: '30m' } },
  };
  let onChange = () => {};
  const bot = await home.open({
    clock,
    now: () => clock.now(),
    config: { agents },
    channels: [new Chat().channel],
    state: { ...state, inbox: { ...state.inbox, accept } },
    onConfigChange: (listener) => {
      const before = onChange;
      onChange = () => {
        before();
        listener();
      };
      return () => {};
    },
  });
  const stepsOf = () => bot.failingSteps.map(({ step }) => step);
  while (stepsOf().length === 0) await clock.advance(MINUTE);
  expect(stepsOf()).toEqual([`The heartbeat of ${MAIN}`]);
  agents.defaults = {};
  onChange();
  await expect.poll(stepsOf, PATIENCE).toEqual([]);
});

test('replies of an account that fail are listed until the account is closed', async () => {
  const home = new BotHome();
  const { channel } = new Chat();
  const state = await openState(home.stateDir);
  channel.network.addFault({ fault: 'refuse' }, { times: 1000 });
  const full = Object.assign(new Error('no space left'), { code: 'ENOSPC' });
  const outbox: typeof state.outbox = {
    ...state.outbox,
    claim: async (request) => {
      if (channel.network.sends > 0 && request.channel === channel.name) throw full;
      return state.outbox.claim(request);
    },
    retry: async () => {
      throw full;
    },
  };
  const bot = await home.open({ channels: [channel], state: { ...state, outbox } });
  const replies = [1, 2, 3, 4, 5].map((number) => ({
    key: `t${number}:0`,
    turnId: `t${number}`,
    agentId: 'main',
    sessionKey: MAIN,
    target: { channel: channel.name, accountId: channel.accountId, to: `person ${number}` },
    payload: { text: 'hello' },
    createdAt: Date.now(),
  }));
  await state.outbox.put(replies);
  bot.wakeSender();
  const stepsOf = () => bot.failingSteps.map(({ step }) => step).sort();
  await expect
    .poll(stepsOf, PATIENCE)
    .toEqual([
      'A reply to memory (account default)',
      'The look for replies to memory (account default)',
      'The record of what was sent to memory (account default)',
    ]);
  await bot.closeChannel(channel);
  expect(stepsOf()).toEqual([]);
});
