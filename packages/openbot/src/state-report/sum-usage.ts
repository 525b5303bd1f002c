import type { Environment } from '@openbot/sessions/layout';
import { openCalendar } from '../usage/calendar.ts';
import { countUsage } from '../usage/count-usage.ts';
import { groupUsage } from '../usage/group-usage.ts';
import { openPriceList } from '../usage/prices/price-list.ts';
import { USAGE_SOURCES } from '../usage/sources/all.ts';

export interface AgentUsage {
  readonly agentId: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheCreationTokens: number;
  readonly cacheReadTokens: number;
  /** Of what has a price. */
  readonly costUsd: number;
  readonly unpricedModels: readonly string[];
}

/** What the agents of a state folder took, by their transcripts: the figures of `openbot usage --agent`. */
export async function sumUsage(place: {
  readonly stateDir: string;
  readonly env: Environment;
  readonly cwd: string;
  readonly now: number;
}): Promise<readonly AgentUsage[]> {
  const { now, ...scope } = place;
  const source = await USAGE_SOURCES.openbot!(scope);
  const counted = await countUsage('openbot', source, { env: scope.env, now, bySession: true });
  const prices = await openPriceList(counted.buckets, scope);
  const agentIds = [...new Set(counted.units.flatMap(({ agentId }) => agentId ?? []))].sort();
  return agentIds.map((agentId) => {
    const sources = [{ name: 'openbot', counted, notes: new Map() }];
    const query = { by: 'model', calendar: openCalendar(), agentId, prices } as const;
    const { totals, unpricedModels } = groupUsage(sources, query);
    const { inputTokens, outputTokens, cacheCreationTokens, cacheReadTokens, totalCost } = totals;
    return {
      agentId,
      inputTokens,
      outputTokens,
      cacheCreationTokens,
      cacheReadTokens,
      costUsd: totalCost,
      unpricedModels,
    };
  });
}
