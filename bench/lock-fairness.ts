/**
 * How long processes wait for the lock of one store, with the hand-over between processes (a waiting one sets a mode bit of
 * the lock file, a holder that sees it pauses) and without it. Not one of `npm run bench`: it shows what the hand-over
 * is good for (docs/decisions/0003-store-and-locks.md). Needs a machine with nothing else to do, or real-time priority (`chrt -r 10`).
 *
 *     node --conditions=openbot-source bench/lock-fairness.ts [rounds] [seconds]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { ENTRIES, keyOf, makeEntry, withStore } from './store-fixture.ts';

const PROCESSES = 8;
const CHILD = fileURLToPath(new URL('./children/store-waits.ts', import.meta.url));
const [rounds = 5, seconds = 5] = process.argv.slice(2).map(Number);

/** No process can ask for its turn. The bit is all that the hand-over goes by. */
const WITHOUT = `data:text/javascript,${encodeURIComponent(`
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
const { chmodSync } = fs;
fs.chmodSync = (path, mode) => { if (!String(path).endsWith('.lock')) chmodSync(path, mode); };
syncBuiltinESMExports();`)}`;

interface Waits {
  /** Of any process, in milliseconds. */
  readonly longest: number;
  readonly p99: number;
  readonly perSecond: number;
  /** How often the process that came in least often did, and the one that came in most often. */
  readonly fewest: number;
  readonly most: number;
}

async function measure(entries: number, isFair: boolean): Promise<Waits> {
  return withStore(async (path) => {
    const small = Object.fromEntries(
      Array.from({ length: entries }, (_, index) => [keyOf(index), makeEntry(index)]),
    );
    await writeFile(path, JSON.stringify(small, null, 2));
    const preload = isFair ? [] : ['--import', WITHOUT];
    const children = Array.from({ length: PROCESSES }, (_, index) =>
      spawn(
        process.execPath,
        ['--conditions=openbot-source', ...preload, CHILD, path, String(index), String(1000 * seconds)],
        { stdio: ['pipe', 'pipe', 'inherit'] },
      ),
    );
    await Promise.all(children.map((child) => once(child.stdout, 'data')));
    for (const child of children) child.stdin.write('go\n');
    const lists = await Promise.all(
      children.map(async (child) => {
        let text = '';
        for await (const piece of child.stdout.setEncoding('utf8')) text += piece;
        return JSON.parse(text) as number[];
      }),
    );
    const all = lists.flat().sort((a, b) => a - b);
    const counts = lists.map(({ length }) => length);
    return {
      longest: all.at(-1)!,
      p99: all[Math.floor(all.length * 0.99)]!,
      perSecond: all.length / seconds,
      fewest: Math.min(...counts),
      most: Math.max(...counts),
    };
  });
}

for (const entries of [PROCESSES, ENTRIES]) {
  console.log(`${PROCESSES} processes update a store of ${entries} entries for ${seconds} s without a pause`);
  const longest: Record<'with' | 'without', number[]> = { with: [], without: [] };
  for (let round = 0; round < rounds; round++) {
    // In turn, so that a change of the machine meets both.
    for (const name of round % 2 === 0 ? (['with', 'without'] as const) : (['without', 'with'] as const)) {
      const waits = await measure(entries, name === 'with');
      longest[name].push(waits.longest);
      console.log(
        `  ${name.padEnd(8)} longest ${waits.longest.toFixed(0)} ms, p99 ${waits.p99.toFixed(0)} ms, ` +
          `${waits.perSecond.toFixed(0)} updates a second, ${waits.fewest} to ${waits.most} a process`,
      );
    }
  }
  const median = (list: number[]) => list.sort((a, b) => a - b)[list.length >> 1]!;
  const [fair, unfair] = [median(longest.with), median(longest.without)];
  console.log(
    `  median of the longest: ${fair.toFixed(0)} ms with, ${unfair.toFixed(0)} ms without; ratio ${(unfair / fair).toFixed(2)} (above 1: it helps)`,
  );
}
