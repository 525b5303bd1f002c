/** A run asks before it acts, with buttons in Telegram. */
import { expect, test } from 'vitest';
import type { BotConfig } from '../../../src/config/bot-config.ts';
import { BotHome } from '../../bot/bot-home.ts';
import { ManualClock } from '../../setup/manual-clock.ts';
import { ADA, GROUP, message, TelegramBench } from '../telegram/telegram-bench.ts';

const MENTION = { type: 'mention', offset: 0, length: '@Test_Bot'.length };
const EVE = { id: 666, is_bot: false, first_name: 'Eve' };

const CONFIG: BotConfig = {
  agents: { defaults: { model: 'script/asks' } },
  channels: {
    telegram: {
      dmPolicy: 'allowlist',
      allowFrom: ['777'],
      groupAllowFrom: ['777'],
      groups: { [GROUP.id]: {} },
    },
  },
};

async function open() {
  const bench = await TelegramBench.make();
  const home = new BotHome();
  home.writeScript('asks', {
    turns: [{ steps: [{ ask: 'Bash', args: { command: 'git push' } }, { text: '{{result}}' }] }],
  });
  const clock = new ManualClock();
  const bot = await home.open({ config: structuredClone(CONFIG), channels: [bench.makeChannel()], clock });
  const { shown } = bench.api.chats;
  const texts = () => shown.filter(({ buttons }) => buttons.length === 0).map(({ text }) => text);
  const question = async () => {
    await bench.until(() => shown.some(({ buttons }) => buttons.length > 0), 'the question');
    return shown.find(({ buttons }) => buttons.length > 0)!;
  };
  let presses = 0;
  const press = async (from: object, label: string) => {
    const { message_id, text, buttons } = await question();
    const { callback_data: data } = buttons.find((button) => button.text === label)!;
    const asked = message(message_id, { chat: GROUP, from: bench.api.me, text });
    await bench.deliver({ callback_query: { id: `p${++presses}`, from, message: asked, data } });
  };
  return { bench, bot, clock, home, texts, question, press };
}

test('the button of the person allows it and the run goes on; those of others have no effect', async () => {
  const { bench, bot, home, texts, question, press } = await open();
  const entities = [MENTION];
  await bench.deliver({ message: message(1, { chat: GROUP, text: '@Test_Bot publish it', entities }) });
  const { buttons, chat_id } = await question();
  expect([chat_id, buttons.map(({ text }) => text)]).toEqual([GROUP.id, ['Allow', 'Always allow', 'Deny']]);
  // Who may not talk is not heard.
  await press(EVE, 'Allow');
  expect(texts()).toEqual([]);
  await press(ADA, 'Allow');
  await bot.idle();
  expect(texts()).toEqual([expect.stringMatching(/Allowed\.$/), 'It was allowed.']);
  const key = `agent:main:telegram:group:${GROUP.id}`;
  expect(home.turnsOf(key)).toHaveLength(1);
});

test('without an answer in time it is denied', async () => {
  const { bench, bot, clock, texts, question } = await open();
  await bench.deliver({ message: message(1, { text: 'publish it' }) });
  await question();
  await clock.advance(5 * 60_000);
  await bot.idle();
  expect(texts()).toEqual([
    expect.stringMatching(/No answer came in time, so it was not allowed\.$/),
    'The person did not answer within 5 minutes, so it is not allowed.',
  ]);
});
