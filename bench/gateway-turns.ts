/** Turns through a gateway: how soon the first words come, how many it makes, and what it keeps in memory. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  describeMemory,
  machineLoad,
  megabytes,
  memoryOf,
  processorTimesOf,
  SETTLE_MS,
  startBenchGateway,
} from './gateway-fixture.ts';
import { type BenchRow, percentile } from './measure.ts';
import { inTempFolder } from './occ-command.ts';
import { againstOpenclaw } from './openclaw-gateway.ts';

const SESSIONS = 200;
const RUNS = 300;
const SECONDS = 30;
const TURNS = 10_000;
const FIRST_WORDS_MS = 20;
const LEAST_PER_SECOND = 300;
const IDLE_BYTES = 110e6;
const GROWTH = 1.3;
/** Its turns take a hundred times as long. */
const OPENCLAW_TURNS = 20;

export default function bench(): Promise<BenchRow[]> {
  return inTempFolder(async (folder) => {
    const { client, pids, close } = await startBenchGateway(join(folder, 'state'));
    await client.turn(0);
    await sleep(SETTLE_MS);
    const idle = memoryOf(pids());
    const idleDetails = describeMemory(pids());
    for (let session = 0; session < SESSIONS; session++) await client.turn(session);
    const times: number[] = [];
    for (let turn = 0; turn < RUNS; turn++) times.push(await client.turn(turn % SESSIONS));
    times.sort((one, other) => one - other);
    const loadOfTimes = machineLoad();

    let made = 0;
    const begun = performance.now();
    const talk = async (session: number, isOver: () => boolean) => {
      for (; !isOver(); made++) await client.turn(session);
    };
    const talkAll = (isOver: () => boolean) =>
      Promise.all(Array.from({ length: SESSIONS }, (_, session) => talk(session, isOver)));
    const before = processorTimesOf(pids());
    await talkAll(() => performance.now() - begun > SECONDS * 1000);
    const perSecond = made / ((performance.now() - begun) / 1000);
    const used = processorTimesOf(pids()).map((ms, at) => (ms - before[at]!) / made);
    const loadOfTurns = machineLoad();
    await talkAll(() => made + SESSIONS + RUNS >= TURNS);
    await sleep(SETTLE_MS);
    const after = memoryOf(pids());
    const afterDetails = describeMemory(pids());
    await close();
    const openclaw = await againstOpenclaw(0, async ({ client: other }) => {
      for (let turn = 0; turn < 3; turn++) await other.turn(0);
      const theirs: number[] = [];
      for (let turn = 0; turn < OPENCLAW_TURNS; turn++) theirs.push(await other.turn(turn % 10));
      const start = performance.now();
      const each = Array.from({ length: OPENCLAW_TURNS }, (_, session) => other.turn(session));
      await Promise.all(each);
      const rate = OPENCLAW_TURNS / ((performance.now() - start) / 1000);
      return [
        {
          name: 'chat.send until the first words, p50',
          ours: percentile(times, 0.5),
          openclaw: percentile(
            theirs.toSorted((one, two) => one - two),
            0.5,
          ),
          show: (ms) => `${ms.toFixed(1)} ms`,
          better: 'lower',
        },
        {
          name: `turns on many sessions at once (of OpenClaw ${OPENCLAW_TURNS} in all)`,
          ours: perSecond,
          openclaw: rate,
          show: (figure) => `${figure.toFixed(1)} turns/s`,
          better: 'higher',
        },
      ];
    });
    return [
      {
        name: 'chat.send until the first words of a model that answers at once, p95',
        ours: `${percentile(times, 0.95).toFixed(1)} ms`,
        peer: `a limit of ${FIRST_WORDS_MS} ms`,
        ratio: percentile(times, 0.95) / FIRST_WORDS_MS,
        limit: 1,
        better: 'lower',
        details: `p50 ${percentile(times, 0.5).toFixed(1)} ms, fastest ${times[0]!.toFixed(1)} ms; ${loadOfTimes}`,
      },
      {
        name: `turns on ${SESSIONS} sessions at once for ${SECONDS} s, each durable and told`,
        ours: `${perSecond.toFixed(0)} turns/s`,
        peer: `a limit of ${LEAST_PER_SECOND} turns/s`,
        ratio: perSecond / LEAST_PER_SECOND,
        limit: 1,
        better: 'higher',
        details: `processor time of a turn: gateway ${used[0]!.toFixed(2)} ms, process of agents ${used[1]!.toFixed(2)} ms; ${loadOfTurns}`,
      },
      {
        name: 'memory of the gateway and its process of agents, after a turn',
        ours: megabytes(idle),
        peer: `a limit of ${megabytes(IDLE_BYTES)}`,
        ratio: idle / IDLE_BYTES,
        limit: 1,
        better: 'lower',
        details: idleDetails,
      },
      {
        name: `the same after ${TURNS} turns`,
        ours: megabytes(after),
        peer: `that limit times ${GROWTH}`,
        ratio: after / (IDLE_BYTES * GROWTH),
        limit: 1,
        better: 'lower',
        details: `${afterDetails}; the process of agents ends after two minutes without work`,
      },
      ...openclaw,
    ];
  });
}
