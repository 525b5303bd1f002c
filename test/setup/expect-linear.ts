import { expect } from 'vitest';

const FACTOR = 16;

/**
 * Judges by the CPU time of this process, which no other work on the machine changes: 16 times the size may take 80 times
 * as long, where quadratic time would take 256 times.
 */
export function expectLinear(size: number, work: (size: number) => unknown): void {
  const growth =
    measureLeast(() => work(FACTOR * size)) /
    Math.max(
      measureLeast(() => work(size)),
      100,
    );
  expect(growth).toBeLessThan(5 * FACTOR);
}

/** In microseconds. The least of some: the first one compiles. */
function measureLeast(work: () => unknown): number {
  return Math.min(
    ...[1, 2, 3, 4].map(() => {
      const before = process.cpuUsage();
      work();
      const { user, system } = process.cpuUsage(before);
      return user + system;
    }),
  );
}
