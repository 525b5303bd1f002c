import type { SessionEntry, StoredEntry } from '@openbot/sessions';

/** The counters of a session's entry from which OpenClaw tells how full the context is. */
const COUNTERS = ['totalTokens', 'totalTokensFresh', 'contextBudgetStatus'] as const;
type Counter = (typeof COUNTERS)[number];
export type Counters = Readonly<Record<string, unknown>>;

export function readCounters(entry: StoredEntry): Counters {
  const counters = COUNTERS.map((name) => [name, (entry as Counters)[name]] as const);
  return Object.fromEntries(counters.filter(([, value]) => value !== undefined));
}

/**
 * To the computed size of the context. `totalTokensFresh: false` marks it as not recorded.
 * @returns undefined where the entry may stay as it is
 */
export function lowerCounters(entry: StoredEntry, tokens: number): SessionEntry | undefined {
  if (typeof entry.totalTokens !== 'number' || entry.totalTokens <= tokens) return undefined;
  const { contextBudgetStatus: _, ...rest } = entry;
  return { ...rest, totalTokens: tokens, totalTokensFresh: false };
}

/**
 * Puts back what `readCounters` gave, unless the agent has counted again since. A figure of ours, which is that of a
 * cleaned session, is put back even then where it is the lower one: what the agent counted was not cleaned.
 */
export function putBackCounters(entry: StoredEntry, counters: Counters): SessionEntry | undefined {
  const isLowered = counters.totalTokensFresh === false && isLess(counters.totalTokens, entry.totalTokens);
  if (entry.totalTokensFresh !== false && !isLowered) return undefined;
  const rest = Object.entries(entry).filter(([name]) => !COUNTERS.includes(name as Counter));
  return { ...Object.fromEntries(rest), ...counters } as SessionEntry;
}

function isLess(a: unknown, b: unknown): boolean {
  return typeof a === 'number' && typeof b === 'number' && a < b;
}
