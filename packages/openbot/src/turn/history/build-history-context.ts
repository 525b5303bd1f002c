import { CURRENT_MESSAGE_MARKER, HISTORY_CONTEXT_MARKER } from '../words/markers.ts';
import { appendHistoryEntry, type HistoryEntry } from './history-entries.ts';

/** The current message behind the messages of the group since the last reply; alone when there are none. */
export function buildHistoryContextFromMap<T extends HistoryEntry>(params: {
  historyMap: Map<string, T[]>;
  historyKey: string;
  limit: number;
  /** Added to the history first. */
  entry?: T;
  currentMessage: string;
  formatEntry: (entry: T) => string;
  /** The last entry is the current message. True when absent. */
  excludeLast?: boolean;
}): string {
  const { historyMap, historyKey, limit, entry, currentMessage, formatEntry, excludeLast = true } = params;
  if (limit <= 0) return currentMessage;
  const entries =
    entry === undefined
      ? (historyMap.get(historyKey) ?? [])
      : appendHistoryEntry({ historyMap, historyKey, entry, limit });
  return buildHistoryContext({
    entries: excludeLast ? entries.slice(0, -1) : entries,
    currentMessage,
    formatEntry,
  });
}

export function buildHistoryContext<T extends HistoryEntry>(params: {
  /** Without the current message. */
  entries: readonly T[];
  currentMessage: string;
  formatEntry: (entry: T) => string;
}): string {
  const { entries, currentMessage, formatEntry } = params;
  if (entries.length === 0) return currentMessage;
  const lines = entries.map(formatEntry).join('\n');
  return `${HISTORY_CONTEXT_MARKER}\n${lines}\n\n${CURRENT_MESSAGE_MARKER}\n${currentMessage}`;
}
