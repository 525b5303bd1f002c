/** Sessions that talk at once in one process: how many turns it makes, and whether each message got its answer in order. */
import type { BenchRow } from './measure.ts';
import { inTempFolder } from './occ-command.ts';
import { openBenchBot, placeTalkers } from './turn-fixture.ts';

const SESSIONS = 50;
const MESSAGES = 20;
const LEAST_PER_SECOND = 150;

export default function bench(): Promise<BenchRow[]> {
  return inTempFolder(async (folder) => {
    await placeTalkers(folder, SESSIONS);
    const { bot, accept, sent } = await openBenchBot(folder);
    const begun = performance.now();
    await Promise.all(
      Array.from({ length: SESSIONS }, async (_, person) => {
        for (let number = 0; number < MESSAGES; number++) await accept(person, `number ${number}`);
      }),
    );
    await bot.idle();
    const perSecond = (SESSIONS * MESSAGES) / ((performance.now() - begun) / 1000);
    await bot.close();
    for (let person = 0; person < SESSIONS; person++) {
      const answers = sent.filter(({ to }) => to === `p${person}`).map(({ text }) => numberIn(text));
      const expected = Array.from({ length: MESSAGES }, (_, number) => number);
      if (JSON.stringify(answers) !== JSON.stringify(expected)) {
        throw new Error(`Person ${person} got the answers ${answers.join(', ')}`);
      }
    }
    return [
      {
        name: `${SESSIONS} sessions with ${MESSAGES} messages each at once, all answered and sent in order`,
        ours: `${perSecond.toFixed(0)} turns/s`,
        peer: `a limit of ${LEAST_PER_SECOND} turns/s`,
        ratio: perSecond / LEAST_PER_SECOND,
        limit: 1,
        better: 'higher',
      },
    ];
  });
}

function numberIn(text: string): number {
  return Number(/number (\d+)/.exec(text)?.[1]);
}
