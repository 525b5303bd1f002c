/** However a command is written, no model reads it. */
import type { MsgContext } from '@openbot/sessions';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cases, HUNT } from '../../../../test/setup/hunt.ts';
import { openMemoryState } from '../../src/state/open-state.ts';
import { BotHome, Chat, PARROT } from './bot-home.ts';

const NAMES =
  'help status whoami stop model think reasoning verbose usage queue activation send label history clean restore compact commands id abort t v'.split(
    ' ',
  );
const KNOWN = new RegExp(`^\\s*/(?:new|reset|quick|${NAMES.join('|')})(?![\\w/])`, 'i');

const front = fc.constantFrom('', '', ' ', '\n\n', '\u3000', '\u200b', '\u2068', '\ufeff ');
const slash = fc.constantFrom('/', '/', '/', '\uff0f', '\u2215', '\u2044');
const behind = fc.constantFrom('', '', '@mybot', '@MyBot', ':', '\u200b', '\u2069');
const oneCommand = fc
  .record({ front, slash, name: fc.constantFrom(...NAMES), isLoud: fc.boolean(), behind })
  .map(
    ({ front: f, slash: s, name, isLoud, behind: b }) => `${f}${s}${isLoud ? name.toUpperCase() : name}${b}`,
  );
const beginning = fc.constantFrom(
  '',
  '',
  '/new ',
  '/NEW ',
  ' /reset\n',
  '/new@mybot ',
  '/new quick ',
  '/new /new ',
  '\uff0fnew ',
);
const place = fc.constantFrom('direct', 'mentioned', 'group', 'group mention', 'caption', 'for commands');

const part = fc.oneof(
  oneCommand,
  oneCommand,
  fc.constantFrom('/think high', '/t: low', '/model quick', '/quick', '/queue steer', '/new', '/reset'),
  fc.constantFrom('hello', 'say it', '1/2', '/etc/hosts', '/nosuch', 'and /clean it', '/status@otherbot'),
);

async function open() {
  const chat = new Chat();
  const asked: string[] = [];
  const bot = await new BotHome().open({
    config: {
      channels: { memory: { allowFrom: ['ada'] } },
      agents: { defaults: { model: 'script/echo', models: { 'script/fast': { alias: 'quick' } } } },
    },
    state: openMemoryState(),
    channels: [chat.channel],
    play: (question) => {
      asked.push(question.prompt);
      return PARROT(question);
    },
  });
  const write = async (text: string, where: string) => {
    const ctx: MsgContext = { BotUsername: 'mybot' };
    const ada = { name: 'ada', id: 'ada' };
    if (where === 'group') await chat.writeInGroup('g', ada, text, ctx);
    else if (where === 'group mention') await chat.writeInGroup('g', ada, `@mybot ${text}`, ctx);
    else if (where === 'mentioned') await chat.write('ada', `@mybot, ${text}`, { ctx });
    else if (where === 'caption') await chat.write('ada', text, { ctx: { ...ctx, MediaPath: '/tmp/a.png' } });
    else if (where === 'for commands') await chat.write('ada', text, { ctx: { ...ctx, CommandBody: text } });
    else await chat.write('ada', text, { ctx });
    await bot.idle();
  };
  return { chat, asked, bot, write };
}

test('a command alone, and one behind /new, is answered by the bot', HUNT, async () => {
  const { chat, asked, bot, write } = await open();
  await fc.assert(
    fc.asyncProperty(beginning, oneCommand, place, async (first, command, where) => {
      asked.length = 0;
      const before = chat.shown.length;
      await write(`${first}${command}`, where);
      expect(asked).toEqual([]);
      expect(chat.shown.length).toBe(before + 1);
    }),
    cases({ gate: 60, torture: 3000 }),
  );
  await bot.close();
});

test('of many words, those for the model never begin with a command', HUNT, async () => {
  const { asked, bot, write } = await open();
  const words = fc.tuple(
    beginning,
    fc.array(part, { minLength: 1, maxLength: 4 }),
    fc.constantFrom(' ', '\n'),
  );
  await fc.assert(
    fc.asyncProperty(words, place, async ([first, parts, space], where) => {
      asked.length = 0;
      await write(first + parts.join(space), where);
      for (const prompt of asked) {
        const read = prompt
          .split('\n')
          .filter((line) => !line.startsWith('System: '))
          .join('\n')
          .replace(/^\s*(?:\[.*?\] )?(?:ada: )?/s, '');
        if (!/^\/\w+@otherbot/.test(read)) expect(read).not.toMatch(KNOWN);
      }
    }),
    cases({ gate: 60, torture: 3000 }),
  );
  await bot.close();
});
