import { OpenBotError } from '@openbot/sessions';
import { writeJson, writeWarning } from '@openbot/sessions/command-line';
import type { UsageScope, UsageSource } from '../../usage/contract.ts';
import { countUsage } from '../../usage/count-usage.ts';
import { type Grouping, groupUsage, needsSessions, type SourceUsage } from '../../usage/group-usage.ts';
import { openPriceList } from '../../usage/prices/price-list.ts';
import { USAGE_SOURCES } from '../../usage/sources/all.ts';
import { readUsageInput, type UsageInput, type UsageRequestInput } from './usage-input.ts';
import { describeUsage } from './usage-json.ts';
import { formatUsage } from './usage-report.ts';

/** Shows tokens and cost. */
export async function usage(input: UsageInput): Promise<void> {
  const { env, cwd, flags, terminal } = input;
  const now = Date.now();
  const request = readUsageInput(input, now);
  const warn = (message: string) => writeWarning(terminal, message, flags);
  const scope: UsageScope = { env, cwd, stateDir: flags.stateDir, warn };
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
  const grouped = groupUsage(sources, { ...request, prices });
  if (grouped.groups.length === 0 && request.agentId !== undefined) {
    const { assertKnownIn } = await import('../known-agent.ts');
    const folders = opened.flatMap(([, { places }]) => places.slice(0, 1));
    await assertKnownIn(folders, request.agentId, input);
  }
  const shown = limit(grouped.groups, request.by, flags.limit);
  if (flags.json) {
    writeJson(terminal, describeUsage(grouped, shown, request));
    return;
  }
  const places = opened.flatMap(([, { places }]) => places.slice(0, 1));
  terminal.write(
    formatUsage(grouped, shown, {
      request,
      places,
      breakdown: flags.breakdown === true,
      columns: terminal.maxLineWidth,
      palette: terminal.palette,
    }),
  );
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
function limit<Group>(groups: readonly Group[], by: Grouping, count: number | undefined): readonly Group[] {
  if (count === undefined || count >= groups.length) return groups;
  return by === 'model' || by === 'channel' ? groups.slice(0, count) : groups.slice(-count);
}
