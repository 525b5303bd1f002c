/** Turns through a gateway: how soon the first words come, how many it makes, and what it keeps in memory. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startBenchGateway } from './gateway-fixture.ts';
import { type BenchRow, percentile } from './measure.ts';
import { inTempFolder } from './occ-command.ts';

const SESSIONS = 200;
const RUNS = 300;
const SECONDS = 30;
const TURNS = 10_000;
const FIRST_WORDS_MS = 20;
const LEAST_PER_SECOND = 300;
const IDLE_BYTES = 110e6;
const GROWTH = 1.3;

export default function bench(): Promise<BenchRow[]> {
  return inTempFolder(async (folder) => {
    const { client, memory, close } = await startBenchGateway(join(folder, 'state'));
    await sleep(2000);
    const idle = memory();
    for (let session = 0; session < SESSIONS; session++) await client.turn(session);
    const times: number[] = [];
    for (let turn = 0; turn < RUNS; turn++) times.push(await client.turn(turn % SESSIONS));
    times.sort((one, other) => one - other);

    let made = 0;
    const begun = performance.now();
    const talk = async (session: number, isOver: () => boolean) => {
      for (; !isOver(); made++) await client.turn(session);
    };
    const talkAll = (isOver: () => boolean) =>
      Promise.all(Array.from({ length: SESSIONS }, (_, session) => talk(session, isOver)));
    await talkAll(() => performance.now() - begun > SECONDS * 1000);
    const perSecond = made / ((performance.now() - begun) / 1000);
    await talkAll(() => made + SESSIONS + RUNS >= TURNS);
    await sleep(10_000);
    const after = memory();
    await close();
    return [
      {
        name: 'chat.send until the first words of a model that answers at once, p95',
        ours: `${percentile(times, 0.95).toFixed(1)} ms (p50 ${percentile(times, 0.5).toFixed(1)})`,
        peer: `a limit of ${FIRST_WORDS_MS} ms`,
        ratio: percentile(times, 0.95) / FIRST_WORDS_MS,
        limit: 1,
        better: 'lower',
      },
      {
        name: `turns on ${SESSIONS} sessions at once for ${SECONDS} s, each durable and told`,
        ours: `${perSecond.toFixed(0)} turns/s`,
        peer: `a limit of ${LEAST_PER_SECOND} turns/s`,
        ratio: perSecond / LEAST_PER_SECOND,
        limit: 1,
        better: 'higher',
      },
      {
        name: 'memory of the gateway and its processes, idle',
        ours: megabytes(idle),
        peer: `a limit of ${megabytes(IDLE_BYTES)}`,
        ratio: idle / IDLE_BYTES,
        limit: 1,
        better: 'lower',
      },
      {
        name: `the same after ${TURNS} turns`,
        ours: megabytes(after),
        peer: `that limit times ${GROWTH}`,
        ratio: after / (IDLE_BYTES * GROWTH),
        limit: 1,
        better: 'lower',
        details: 'with the process of the agents, which ends after two minutes without work',
      },
    ];
  });
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;
