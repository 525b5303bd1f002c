/** One figure against a peer or a limit measured in the same run. */
export interface BenchRow {
  name: string;
  ours: string;
  peer: string;
  /** `better: 'higher'`: must be at least the limit; 'lower': at most. */
  ratio: number;
  limit: number;
  better: 'higher' | 'lower';
  /** Where our time goes. */
  details?: string;
}

/**
 * Runs both in turn, so that what else the machine does hits both alike, and gives the fastest time of each in ms.
 */
export async function fastest(
  rounds: number,
  ours: () => Promise<unknown>,
  peer: () => Promise<unknown>,
): Promise<[number, number]> {
  let bestOurs = Number.POSITIVE_INFINITY;
  let bestPeer = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    bestOurs = Math.min(bestOurs, await time(ours));
    bestPeer = Math.min(bestPeer, await time(peer));
  }
  return [bestOurs, bestPeer];
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** The times of so many runs in ms, sorted. */
export async function timesOf(runs: number, work: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let run = 0; run < runs; run++) times.push(await time(work));
  return times.toSorted((a, b) => a - b);
}

/** @param sorted from `timesOf` */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}
