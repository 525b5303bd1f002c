import { expect, test } from 'vitest';
import { HUNT, tries } from '../../../../../test/setup/hunt.ts';
import { message, TelegramBench } from './telegram-bench.ts';

/** The same numbers for the same seed. */
function makeChance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

test(
  'complaints 1, 2 and 5: whatever fails, each message is kept once and in the order of its chat',
  HUNT,
  async () => {
    for (let round = 1; round <= tries({ gate: 3, torture: 60 }); round++) {
      const chance = makeChance(round);
      const bench = await TelegramBench.make();
      const { accept } = bench.host;
      let isCalm = false;
      bench.host.accept = (given) =>
        !isCalm && chance() < 0.2 ? Promise.reject(new Error('The disk is full.')) : accept(given);
      let channel = bench.makeChannel();
      await channel.start(bench.host);
      for (let id = 1; id <= 40; id++) {
        const chat = { id: 1 + Math.floor(4 * chance()), type: 'private' };
        bench.api.updates.push({ message: message(id, { chat, text: `${id}` }) });
        const dice = chance();
        if (dice < 0.1) bench.api.addFault('getUpdates', { fault: 'cut' });
        else if (dice < 0.2) bench.api.addFault('getUpdates', { fault: 'proxy error' });
        else if (dice < 0.25) bench.api.addFault('getUpdates', { fault: 'stall' });
        else if (dice < 0.3) {
          await channel.stop();
          channel = bench.makeChannel();
          await channel.start(bench.host);
        } else if (dice < 0.6) await bench.clock.advance(Math.floor(3000 * chance()));
      }
      isCalm = true;
      await bench.pass(
        () => bench.api.updates.unconfirmed.length === 0 && channel.health().state === 'connected',
      );
      const ids = bench.host.taken.map(([, id]) => Number(id));
      expect(ids.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, n) => n + 1));
      for (const chat of ['1', '2', '3', '4']) {
        const own = bench.host.taken.flatMap(([conversation, id]) =>
          conversation === chat ? [Number(id)] : [],
        );
        expect(own).toEqual(own.toSorted((a, b) => a - b));
      }
      await channel.stop();
    }
  },
);
