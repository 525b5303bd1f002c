/** Replies that were made and not sent: none is lost without a record, and none holds up those behind it. */
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { nameProcess } from '../../src/bot/process-name.ts';
import { openState } from '../../src/state/open-state.ts';
import { outbound } from '../outbox/outbound.ts';
import { BotHome, Chat, PARROT } from './bot-home.ts';

test('complaint 4: a reply that the network refuses for good is kept with its words and the reason', async () => {
  const home = new BotHome();
  const chat = new Chat();
  const bot = await home.open({ play: PARROT, channels: [chat.channel] });
  chat.channel.network.addFault({ fault: 'refuse', isPermanent: true });
  await chat.write('ann', 'say one');
  await bot.idle();
  await chat.write('ann', 'say two');
  await bot.idle();
  await bot.close();
  expect(chat.shown).toEqual(['ann: two']);
  const state = await openState(home.stateDir);
  const dead = await state.outbox.listDead(10);
  await state.close();
  expect(dead).toMatchObject([{ payload: { text: 'one' }, target: { to: 'ann' }, tries: 1 }]);
  expect(dead[0]!.error).toMatch(/./);
  expect(home.notices.map(({ about }) => about)).toEqual(['dead letter']);
});

test('complaints 4 and 5: a reply that a killed process was sending is released, and those behind it follow', async () => {
  const home = new BotHome();
  const chat = new Chat();
  const { name: channel, accountId } = chat.channel;
  const { pid } = spawnSync(process.execPath, ['--version']);
  const gone = JSON.stringify({ ...JSON.parse(nameProcess()), pid });
  const state = await openState(home.stateDir);
  const target = { channel, accountId, to: 'ann' };
  const letter = (key: string, text: string) =>
    outbound(key, 'ann', { target, payload: { text }, createdAt: Date.now() });
  await state.outbox.put([letter('t1:0', 'first'), letter('t2:0', 'second')]);
  const hour = 3_600_000;
  const claim = { channel, accountId, owner: gone, now: Date.now(), leaseMs: hour, limit: 1 };
  expect(await state.outbox.claim(claim)).toHaveLength(1);
  await state.close();
  const bot = await home.open({ play: PARROT, channels: [chat.channel] });
  await chat.until((line) => line.endsWith('second'));
  await chat.write('ann', 'say third');
  await bot.idle();
  expect(chat.shown).toEqual(['ann: (This may be a repeat.)\nfirst', 'ann: second', 'ann: third']);
});
