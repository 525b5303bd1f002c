import { OpenBotError, reportProgress } from '@openbot/sessions';
import { formatQuantity } from '@openbot/sessions/terminal-text';
import type { ReadUnit, UsageSource, UsageUnit } from './contract.ts';
import { fillBuckets, type UsageBucket } from './rules/buckets.ts';
import { type CountedItem, mergeLines, RequestsOnce } from './rules/count-once.ts';
import type { UsageRequest } from './rules/request.ts';
import type { KeptUnit, UsageCache } from './usage-cache.ts';

/** The coarsest resolution of times of any file system in use. */
const COARSEST_TIME_MS = 2000;
/** How long the process may be deaf to signals and show no progress. */
const BREATH_MS = 50;

/** Reads what changed since the last count, counts every request once, and keeps the result. */
export async function recount(
  source: UsageSource,
  units: readonly UsageUnit[],
  cache: UsageCache,
  now: number,
): Promise<{ readonly all: readonly UsageBucket[]; readonly bySession: readonly UsageBucket[] }> {
  const before = cache.readUnits();
  const read = new Map<string, KeptUnit>();
  const once = new RequestsOnce<CountedItem & { readonly unit: number }>();
  reportProgress({ step: 'list', text: `Reading ${formatQuantity(units.length, 'transcript')}` });
  let breathed = performance.now();
  for (const [at, unit] of units.entries()) {
    const kept = before.get(unit.id);
    const isSettled = unit.changedAt + COARSEST_TIME_MS < now;
    const isSame = kept?.mark === unit.mark;
    // What may have changed within the same mark is read from its beginning.
    const usage = isSame && kept.isSettled ? kept : await readUnit(source, unit, isSame ? undefined : kept);
    if (usage !== undefined) read.set(unit.id, { ...usage, mark: unit.mark, isSettled });
    for (const request of usage?.requests ?? []) once.add({ unit: at, ...itemOf(unit, request) });
    if (performance.now() - breathed < BREATH_MS) continue;
    reportProgress({ share: (at + 1) / units.length });
    await new Promise(setImmediate);
    breathed = performance.now();
  }
  const buckets = { all: fillBuckets(once.items, false), bySession: fillBuckets(once.items, true) };
  // A unit that could not be read is tried again.
  const isSettled = units.every(({ id }) => read.get(id)?.isSettled === true);
  cache.write(units, isSettled, buckets, read);
  reportProgress({ step: undefined });
  return buckets;
}

/** Undefined for a unit that is gone or cannot be read, which the source tells. */
async function readUnit(
  source: UsageSource,
  unit: UsageUnit,
  known: ReadUnit | undefined,
): Promise<ReadUnit | undefined> {
  try {
    const { requests, rest } = await source.read(unit, known);
    const sure = requests.length - (rest?.unsure ?? 0);
    // The lines of one message repeat its usage: a third of them is kept.
    return { requests: [...mergeLines(requests.slice(0, sure)), ...requests.slice(sure)], rest };
  } catch (error) {
    const isOfFile = typeof (error as NodeJS.ErrnoException).errno === 'number';
    if (!isOfFile && !(error instanceof OpenBotError)) throw error;
    source.warn?.(`Left out ${unit.id}: ${(error as Error).message}`);
    return undefined;
  }
}

function itemOf(unit: UsageUnit, request: UsageRequest): CountedItem {
  return { request, session: request.session ?? unit.sessionId };
}
