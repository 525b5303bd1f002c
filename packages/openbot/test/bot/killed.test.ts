import { test } from 'vitest';
import { HUNT, makeChance, tries } from '../../../../test/setup/hunt.ts';
import { checkKilled, KilledChat } from './killed-chat.ts';

test('a bot that is killed at any moment answers every message once', HUNT, async () => {
  const chance = makeChance();
  const chat = new KilledChat(chance);
  for (let n = 0; n < tries({ gate: 4, torture: 200 }); n++) {
    await chat.live(5 + chance() * 250, 1 + Math.floor(chance() * 6));
  }
  await chat.finish();
  checkKilled(chat);
});
