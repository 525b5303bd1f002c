import { OpenBotError } from '@openbot/sessions';
import type { Environment } from '@openbot/sessions/layout';
import type { Calendar } from './calendar.ts';
import type { UsageScope, UsageSource } from './contract.ts';
import { countUsage } from './count-usage.ts';
import {
  type GroupedUsage,
  type Grouping,
  groupUsage,
  needsSessions,
  type SourceUsage,
} from './group-usage.ts';
import { openPriceList } from './prices/price-list.ts';
import { USAGE_SOURCES } from './sources/all.ts';

/** Which usage, and how it is put together. */
export interface UsageRequestInput {
  readonly by: Grouping;
  readonly calendar: Calendar;
  readonly timezone: string;
  readonly since?: string;
  /** Where a moment was given, not a day. */
  readonly sinceAt?: number;
  readonly until?: string;
  readonly agentId?: string;
  readonly sources: readonly string[];
}

/** Counts tokens and cost of sessions. `folders` are those that the sources look at. */
export async function gatherUsage(
  request: UsageRequestInput,
  scope: UsageScope & { readonly env: Environment },
  now: number,
): Promise<{ readonly grouped: GroupedUsage; readonly folders: readonly string[] }> {
  const { env } = scope;
  const opened = await openSources(request, scope);
  const bySession = needsSessions(request);
  const sources: SourceUsage[] = [];
  for (const [name, source] of opened) {
    const counted = await countUsage(name, source, { env, now, bySession });
    const notes = bySession ? await source.describeSessions() : new Map();
    sources.push({ name, counted, notes, channel: source.channel, repeats: source.repeats });
  }
  const prices = await openPriceList(
    sources.flatMap(({ counted }) => counted.buckets),
    scope,
  );
  return {
    grouped: groupUsage(sources, { ...request, prices }),
    folders: opened.flatMap(([, { places }]) => places.slice(0, 1)),
  };
}

async function openSources(
  { sources, agentId }: UsageRequestInput,
  scope: UsageScope,
): Promise<[string, UsageSource][]> {
  const opened: [string, UsageSource][] = [];
  for (const name of sources) {
    const source = await USAGE_SOURCES[name]!(scope);
    // The same folder is not counted twice.
    const isNew = opened.every(([, { places }]) => places[0] !== source.places[0]);
    if (isNew && (agentId === undefined || source.hasAgents)) opened.push([name, source]);
  }
  if (opened.length > 0) return opened;
  throw new OpenBotError('USAGE', `Sessions of ${sources.join(', ')} belong to no agent`, {
    hint: 'Leave out --agent, or choose --source openbot or openclaw',
  });
}

/** The newest rows of a time, the first of an order by cost. */
export function limitGroups<Group>(
  groups: readonly Group[],
  by: Grouping,
  count: number | undefined,
): readonly Group[] {
  if (count === undefined || count >= groups.length) return groups;
  return by === 'model' || by === 'channel' ? groups.slice(0, count) : groups.slice(-count);
}
