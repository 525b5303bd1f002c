import type { MsgContext } from '@openbot/sessions';

/**
 * A message that comes before the one that is answered. At run time the inbox has the history of a group, which survives a
 * restart; the functions on a map are for programs that keep one in memory, as OpenClaw does.
 */
export interface HistoryEntry {
  readonly sender: string;
  readonly body: string;
  /** ms */
  readonly timestamp?: number;
  /** Lines that name its files. */
  readonly media?: string;
  readonly messageId?: string;
  /** Of a message that the same turn answers: what it quotes is shown too. */
  readonly ctx?: MsgContext;
}

export const DEFAULT_GROUP_HISTORY_LIMIT = 50;
export const MAX_HISTORY_KEYS = 1000;

/** Adds a message to the end of a group's history; above the limit the oldest ones are dropped. */
export function appendHistoryEntry<T extends HistoryEntry>(params: {
  historyMap: Map<string, T[]>;
  historyKey: string;
  entry: T;
  limit: number;
}): T[] {
  const { historyMap, historyKey, entry, limit } = params;
  if (limit <= 0) return [];
  const history = historyMap.get(historyKey) ?? [];
  history.push(entry);
  if (history.length > limit) history.splice(0, history.length - limit);
  // A Map keeps the order of insertion: the group that was silent longest is first.
  historyMap.delete(historyKey);
  historyMap.set(historyKey, history);
  evictOldHistoryKeys(historyMap);
  return history;
}

/** Forgets the groups that were silent longest. */
export function evictOldHistoryKeys<T>(historyMap: Map<string, T[]>, maxKeys = MAX_HISTORY_KEYS): void {
  let surplus = historyMap.size - maxKeys;
  for (const key of historyMap.keys()) {
    if (surplus-- <= 0) return;
    historyMap.delete(key);
  }
}

/** What the agent has answered is in its transcript, and is not repeated. */
export function clearHistoryEntries<T extends HistoryEntry>(params: {
  historyMap: Map<string, T[]>;
  historyKey: string;
}): void {
  params.historyMap.set(params.historyKey, []);
}
