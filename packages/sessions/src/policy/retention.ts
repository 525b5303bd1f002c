import type { SessionEntry } from '../entry/session-entry.ts';
import { OpenBotError } from '../errors.ts';
import { parseSessionKey } from '../key/parse.ts';

const DEFAULT_PRUNE_MAX_AGE_MS = 30 * 24 * 60 * 60 * 1000;
const DEFAULT_PRUNE_MAX_ENTRIES = 500;

export type PruneReason = 'age' | 'count';

export interface PruneDecision {
  sessionKey: string;
  reason: PruneReason;
}

type RetentionEntry = Partial<Pick<SessionEntry, 'updatedAt'>>;

/**
 * Which sessions to prune, the oldest first: those not used for `maxAgeMs`, then as many of the oldest as exceed
 * `maxEntries`. Never among them: sessions that `keep` or `activeKeys` name, sessions without a usable time (nothing
 * shows that they are old), and the main and global sessions unless `includeMain` asks for them. Where those alone
 * exceed `maxEntries` it is not reached. A time ahead of `now` counts as now. `Infinity` switches a limit off.
 */
export function selectEntriesToPrune<Entry extends RetentionEntry>(params: {
  entries: Iterable<readonly [sessionKey: string, entry: Entry]>;
  now: number;
  maxAgeMs?: number;
  maxEntries?: number;
  keep?: (sessionKey: string, entry: Entry) => boolean;
  activeKeys?: Iterable<string>;
  mainKey?: string;
  includeMain?: boolean;
}): PruneDecision[] {
  const maxAgeMs = readLimit(params.maxAgeMs ?? DEFAULT_PRUNE_MAX_AGE_MS, 'maxAgeMs');
  const maxEntries = readLimit(params.maxEntries ?? DEFAULT_PRUNE_MAX_ENTRIES, 'maxEntries');
  if (!Number.isFinite(params.now)) throw refuse('now must be a time in milliseconds');
  const activeKeys = new Set([...(params.activeKeys ?? [])].map((key) => key.trim().toLowerCase()));

  let total = 0;
  const removable: { sessionKey: string; updatedAt: number }[] = [];
  for (const [sessionKey, entry] of params.entries) {
    total += 1;
    const updatedAt = entry?.updatedAt;
    if (typeof updatedAt !== 'number' || !Number.isFinite(updatedAt)) continue;
    if (activeKeys.has(sessionKey.trim().toLowerCase()) || params.keep?.(sessionKey, entry)) continue;
    if (!params.includeMain && isMainOrGlobal(sessionKey, params.mainKey)) continue;
    removable.push({ sessionKey, updatedAt: Math.min(updatedAt, params.now) });
  }
  removable.sort(
    (a, b) =>
      a.updatedAt - b.updatedAt || (a.sessionKey < b.sessionKey ? -1 : a.sessionKey > b.sessionKey ? 1 : 0),
  );

  const decisions: PruneDecision[] = [];
  for (const { sessionKey, updatedAt } of removable) {
    if (params.now - updatedAt > maxAgeMs) decisions.push({ sessionKey, reason: 'age' });
    else if (total - decisions.length > maxEntries) decisions.push({ sessionKey, reason: 'count' });
    else break;
  }
  return decisions;
}

function isMainOrGlobal(sessionKey: string, mainKey: string | undefined): boolean {
  const kind = parseSessionKey(sessionKey, { mainKey })?.kind;
  return kind === 'main' || kind === 'global';
}

/** Zero is refused rather than obeyed: it reads as «off» to some and as «everything» to others. */
function readLimit(value: number, name: string): number {
  if (typeof value === 'number' && value > 0) return value;
  throw refuse(`${name} must be above 0, not ${String(value)}`);
}

function refuse(message: string): OpenBotError {
  return new OpenBotError('INVALID_ARGUMENT', message, {
    hint: 'Leave the limit out for the default, or pass Infinity for none.',
  });
}
