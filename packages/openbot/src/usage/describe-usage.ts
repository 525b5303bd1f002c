import type { UsageRequestInput } from './gather-usage.ts';
import {
  describeCostSource,
  type GroupedUsage,
  type Grouping,
  type UsageFigures,
  type UsageGroup,
} from './group-usage.ts';

/** The names of ccusage, so that what reads its output reads this. */
const LISTS: Readonly<Record<Grouping, { list: string; name: string }>> = {
  day: { list: 'daily', name: 'date' },
  month: { list: 'monthly', name: 'month' },
  session: { list: 'sessions', name: 'sessionId' },
  model: { list: 'models', name: 'modelName' },
  channel: { list: 'channels', name: 'channel' },
};

export function describeUsage(
  { groups, totals, unpricedModels, priceTable }: GroupedUsage,
  shown: readonly UsageGroup[],
  { by, timezone, since, until, agentId, sources }: UsageRequestInput,
): object {
  const { list, name } = LISTS[by];
  return {
    [list]: shown.map((group) => describeGroup(group, name)),
    totals: { ...describeFigures(totals), unpricedModels },
    count: shown.length,
    totalCount: groups.length,
    priceTable,
    sources,
    timezone,
    since,
    until,
    agentId,
  };
}

function describeGroup(group: UsageGroup, name: string): object {
  const { session, figures, models } = group;
  return {
    [name]: group.name,
    ...(session && {
      source: session.source,
      agentId: session.agentId,
      sessionKey: session.sessionKey,
      label: session.label,
      channel: session.channel,
      projectPath: session.project,
      firstActivity: new Date(group.first).toISOString(),
      lastActivity: new Date(group.last).toISOString(),
    }),
    ...describeFigures(figures),
    ...(name !== 'modelName' && { modelsUsed: [...models.keys()].sort() }),
    ...(name !== 'modelName' && {
      modelBreakdowns: sortModels(models).map(([modelName, of]) => {
        const { totalCost, totalTokens, ...rest } = describeFigures(of);
        return { modelName, ...rest, cost: totalCost };
      }),
    }),
  };
}

/** The most expensive first. */
export function sortModels(models: ReadonlyMap<string, UsageFigures>): [string, UsageFigures][] {
  return [...models].sort(([, a], [, b]) => b.totalCost - a.totalCost || b.totalTokens - a.totalTokens);
}

function describeFigures(figures: UsageFigures) {
  const { unpricedTokens, costSources, ...rest } = figures;
  return {
    ...rest,
    costSource: describeCostSource(figures),
    ...(unpricedTokens > 0 && { missingPricing: true }),
  };
}
