/**
 * Runs the benchmarks (all, or those whose names or first words are given) and prints each figure as a ratio against a
 * peer or a limit measured in the same run. Exits with 1 where a limit is missed, and with 2 where a name is that of
 * none.
 */
import { readdirSync } from 'node:fs';
import type { BenchRow } from './measure.ts';

/** This file, and scripts that are run by themselves. */
const NOT_BENCHES = new Set(['run.ts', 'lock-fairness.ts', 'soak.ts']);
const wanted = process.argv.slice(2);
const benches = new Map<string, () => Promise<BenchRow[]>>();
for (const file of readdirSync(import.meta.dirname).sort()) {
  if (!file.endsWith('.ts') || NOT_BENCHES.has(file)) continue;
  const { default: bench } = (await import(`./${file}`)) as { default?: () => Promise<BenchRow[]> };
  // What benchmarks share has nothing to run.
  if (bench !== undefined) benches.set(file.slice(0, -'.ts'.length), bench);
}
const isMeant = (name: string, given: string) =>
  benches.has(given) ? name === given : name.startsWith(`${given}-`);
const unknown = wanted.filter((given) => ![...benches.keys()].some((name) => isMeant(name, given)));
if (unknown.length > 0) {
  console.error(`There is no benchmark ${unknown.join(', ')}. There are: ${[...benches.keys()].join(', ')}`);
  process.exit(2);
}

let missed = 0;
for (const [name, bench] of benches) {
  if (wanted.length > 0 && !wanted.some((given) => isMeant(name, given))) continue;
  for (const row of await bench()) {
    const met = row.better === 'higher' ? row.ratio >= row.limit : row.ratio <= row.limit;
    if (!met) missed++;
    const bound = `${row.better === 'higher' ? 'at least' : 'at most'} ${row.limit}`;
    console.log(
      `${met ? 'ok    ' : 'MISSED'} ${row.name}: ${row.ours} against ${row.peer}; ratio ${row.ratio.toFixed(2)} (${bound})`,
    );
    if (row.details !== undefined) console.log(`       ${row.details}`);
  }
}
if (missed > 0) process.exitCode = 1;
