import { expect, test } from 'vitest';
import { BotHome, Chat } from './bot-home.ts';

test('a run that the end of its process cut off does not count', async () => {
  const home = new BotHome();
  const chat = new Chat();
  for (let restart = 0; restart < 10; restart++) {
    const at = restart === 0 ? chat : chat.again();
    const bot = await home.open({ channels: [at.channel], play: () => [{ text: 'One' }, { stall: true }] });
    if (restart === 0) await at.write('ada', 'hello');
    const begun = () => home.linesOf().filter(({ customType }) => customType === 'openbot.turn').length;
    while (!isThere(begun, restart + 1)) await new Promise((resolve) => setTimeout(resolve, 5));
    await bot.close();
  }
  const last = chat.again();
  const bot = await home.open({ channels: [last.channel], play: () => [{ text: 'done' }] });
  await bot.idle();
  expect(last.shown).toEqual(['ada: done']);
});

/** The session may not be there yet. */
function isThere(count: () => number, wanted: number): boolean {
  try {
    return count() >= wanted;
  } catch {
    return false;
  }
}
