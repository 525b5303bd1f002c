/**
 * Turns through a gateway for a long time, and what becomes of memory and latency. A script that is run by itself:
 * `npm run soak -- --minutes 30 --sessions 200 --rate 50`. Exits with 1 where memory at the end is more than 1.3 times that
 * of the first quarter, or a turn failed.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { megabytes, memoryOf, processorTimesOf, residentOf, startBenchGateway } from './gateway-fixture.ts';
import { percentile } from './measure.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    sessions: { type: 'string', default: '200' },
    /** Turns that are begun in a second. */
    rate: { type: 'string', default: '50' },
  },
});
const [minutes, sessions, rate] = [values.minutes, values.sessions, values.rate].map(Number) as [
  number,
  number,
  number,
];
const GROWTH = 1.3;
/** A table of about 60 lines. */
const PERIOD_MS = Math.max(2000, minutes * 1000);

const folder = await mkdtemp(join(tmpdir(), 'openbot-soak-'));
const { client, pids, close } = await startBenchGateway(join(folder, 'state'));
let firsts: number[] = [];
let lists: number[] = [];
const open = new Set<Promise<void>>();
let [begunTurns, failed, isOver] = [0, 0, false];
const begun = performance.now();
const endsAt = begun + minutes * 60_000;
const memories: number[] = [];

/** Begins turns at an even pace, and not more than there are sessions at once. */
async function talk(): Promise<void> {
  while (!isOver) {
    const due = Math.floor(((performance.now() - begun) / 1000) * rate);
    for (; begunTurns < due && open.size < sessions; begunTurns++) {
      const turn: Promise<void> = client
        .turn(begunTurns % sessions)
        .then(
          (ms) => void firsts.push(ms),
          () => void failed++,
        )
        .finally(() => open.delete(turn));
      open.add(turn);
    }
    // What a slow machine could not begin is not caught up with.
    begunTurns = Math.max(begunTurns, due);
    await sleep(5);
  }
  await Promise.all(open);
}

async function listNow(): Promise<void> {
  const at = performance.now();
  await client.call('sessions.list', {});
  lists.push(performance.now() - at);
}

const columns = ['minute', 'turns', 'first words p50', 'p95', 'list p50', 'memory', 'resident', 'ms of CPU'];
console.log(columns.map((name) => name.padEnd(16)).join(''));
const talking = talk();
let processorTime = processorTimesOf(pids());
while (performance.now() < endsAt) {
  const until = Math.min(endsAt, performance.now() + PERIOD_MS);
  while (performance.now() < until) {
    await sleep(Math.min(500, Math.max(1, until - performance.now())));
    await listNow();
  }
  const times = firsts.toSorted((a, b) => a - b);
  const listed = lists.toSorted((a, b) => a - b);
  [firsts, lists] = [[], []];
  memories.push(memoryOf(pids()));
  const used = processorTimesOf(pids()).map((ms, at) => ms - (processorTime[at] ?? 0));
  processorTime = processorTimesOf(pids());
  const show = (sorted: number[], share: number) =>
    sorted.length === 0 ? '-' : `${percentile(sorted, share).toFixed(1)} ms`;
  const row = [
    ((performance.now() - begun) / 60_000).toFixed(1),
    String(times.length),
    show(times, 0.5),
    show(times, 0.95),
    show(listed, 0.5),
    megabytes(memories.at(-1)!),
    residentOf(pids()).map(megabytes).join('+'),
    used.map((ms) => (ms / Math.max(1, times.length)).toFixed(2)).join('+'),
  ];
  console.log(row.map((cell) => cell.padEnd(16)).join(''));
}
isOver = true;
await talking;
await close();
await rm(folder, { recursive: true, force: true });
const early = Math.max(...memories.slice(0, Math.ceil(memories.length / 4)));
const growth = memories.at(-1)! / early;
const isMet = growth <= GROWTH && failed === 0;
console.log(
  `${isMet ? 'ok    ' : 'MISSED'} memory ${megabytes(memories.at(-1)!)} against ${megabytes(early)} in the first quarter; ratio ${growth.toFixed(2)} (at most ${GROWTH}); ${failed} turns failed`,
);
process.exitCode = isMet ? 0 : 1;
