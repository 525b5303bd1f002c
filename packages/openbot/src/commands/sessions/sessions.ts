import { OpenBotError, type StoredSession } from '@openbot/sessions';
import { type CommandInput, type Terminal, writeJson, writeWarning } from '@openbot/sessions/command-line';
import type { SessionKeeper } from '../../kept-sessions/contract.ts';
import { withRecordedWindow } from '../../kept-sessions/recorded-window.ts';
import type { SESSIONS_FLAGS, SORTS } from './flags.ts';
import { openPlace, type Place } from './place.ts';
import { formatNone, formatSessions, type ListedSession } from './session-table.ts';

const USUAL_LIMIT = 100;

/** Lists sessions. With `--json`, as `openclaw sessions --json` prints them. */
export async function sessions(input: CommandInput<typeof SESSIONS_FLAGS>): Promise<void> {
  const { flags, terminal } = input;
  const limit = readLimit(flags.limit);
  const now = Date.now();
  const place = await openPlace(input, { isOneDefault: flags.json === true });
  const since = flags.active === undefined ? undefined : now - flags.active * 60_000;
  const all = readAll(place, flags.json ? undefined : terminal);
  const wanted = all.filter(({ entry }) => since === undefined || (entry.updatedAt ?? 0) >= since);
  const listed = sortSessions(wanted, flags.sort ?? 'updated', place, now)
    .slice(0, limit)
    .map((session) => {
      const row = session.keeper.toRow(session, place.folder.models, now);
      return { ...session, row: flags.json ? row : withRecordedWindow(row, session) };
    });
  if (flags.json) {
    writeJson(terminal, describeList(place, flags, listed, wanted.length, limit));
    return;
  }
  const options = { now, columns: terminal.maxLineWidth, palette: terminal.palette, env: input.env };
  if (listed.length === 0) {
    terminal.say(formatNone(place, { active: flags.active, others: all.length }, options));
    return;
  }
  terminal.say(formatSessions(place, listed, { total: wanted.length, active: flags.active }, options));
}

type Kept = StoredSession & { readonly keeper: SessionKeeper };

/** A store that is broken must not hide the others from a person; a program is told of it. */
function readAll({ keepers }: Place, terminal: Terminal | undefined): Kept[] {
  return keepers.flatMap((keeper) => {
    try {
      return keeper.list().map(({ key, entry }) => ({ key, entry, keeper }));
    } catch (error) {
      if (terminal === undefined || keepers.length === 1 || !(error instanceof OpenBotError)) throw error;
      writeWarning(terminal, error.message);
      return [];
    }
  });
}

/** Stable: sessions that are equal stay in the order of their store. */
function sortSessions(
  all: readonly Kept[],
  by: (typeof SORTS)[number],
  { folder }: Place,
  now: number,
): readonly Kept[] {
  if (by === 'key')
    return all.toSorted((one, other) => (one.key < other.key ? -1 : one.key > other.key ? 1 : 0));
  const weigh = (session: Kept): number => {
    const { entry, keeper } = session;
    if (by === 'created') return entry.sessionStartedAt ?? 0;
    if (by === 'tokens') return entry.totalTokens ?? -1;
    if (by === 'cost') return entry.estimatedCostUsd ?? -1;
    if (by === 'updated') return entry.updatedAt ?? 0;
    const row = keeper.toRow(session, folder.models, now);
    const { totalTokens, contextTokens } = withRecordedWindow(row, session);
    return totalTokens === null ? -1 : totalTokens / contextTokens;
  };
  const weights = new Map(all.map((session) => [session, weigh(session)]));
  return all.toSorted((one, other) => weights.get(other)! - weights.get(one)!);
}

function describeList(
  { keepers }: Place,
  { allAgents, active }: { readonly allAgents?: boolean; readonly active?: number },
  listed: readonly ListedSession[],
  totalCount: number,
  limit: number | undefined,
) {
  const isSeveral = allAgents === true || keepers.length > 1;
  return {
    path: isSeveral ? null : keepers[0]!.path,
    stores: isSeveral ? keepers.map(({ agentId, path }) => ({ agentId, path })) : undefined,
    allAgents: allAgents ? true : undefined,
    count: listed.length,
    totalCount,
    limitApplied: limit ?? null,
    hasMore: listed.length < totalCount,
    activeMinutes: active ?? null,
    sessions: listed.map(({ row }) => row),
  };
}

/** Undefined for all of them. */
function readLimit(text: string | undefined): number | undefined {
  if (text === undefined) return USUAL_LIMIT;
  if (text.toLowerCase() === 'all') return undefined;
  const count = /^\d+$/.test(text) ? Number(text) : 0;
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw new OpenBotError('USAGE', `--limit must be a whole number of at least 1, or all, not '${text}'`, {
    hint: 'Example: --limit 25',
  });
}
