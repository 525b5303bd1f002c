import type { Environment } from '@openbot/sessions/layout';
import type { UsageSource } from './contract.ts';
import { type CountedUsage, UsageCache } from './usage-cache.ts';

export type { CountedUsage } from './usage-cache.ts';

interface CountOptions {
  readonly env: Environment;
  readonly now: number;
  /** Whether the caller tells sessions apart. */
  readonly bySession: boolean;
}

/** Counts what a source holds. While nothing changed, this reads one small file and the states of the others. */
export async function countUsage(
  name: string,
  source: UsageSource,
  { env, now, bySession }: CountOptions,
): Promise<CountedUsage> {
  const units = await source.list();
  const cache = new UsageCache(name, source.places, env);
  const known = cache.readBuckets(units, bySession);
  if (known !== undefined) return { units, buckets: known };
  const { recount } = await import('./recount.ts');
  const { all, bySession: each } = await recount(source, units, cache, now);
  return { units, buckets: bySession ? each : all };
}
