import { expect } from 'vitest';

const FACTOR = 16;
const TRIES = 4;

/**
 * Judges by the CPU time of this process, which no other work on the machine changes: 16 times the size may take 80 times
 * as long, where quadratic time would take 256 times.
 */
export function expectLinear(size: number, work: (size: number) => unknown): void {
  // The least of some: the first one compiles.
  const small = Math.max(Math.min(...Array.from({ length: TRIES }, () => measure(() => work(size)))), 100);
  const limit = 5 * FACTOR * small;
  let large = Number.POSITIVE_INFINITY;
  for (let n = 0; n < TRIES && large >= limit; n++)
    large = Math.min(
      large,
      measure(() => work(FACTOR * size)),
    );
  expect(large / small).toBeLessThan(5 * FACTOR);
}

/** In microseconds. */
function measure(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
