import type { StoredSession } from '@openbot/sessions';
import type { SessionRow } from './contract.ts';

/**
 * The row for people: its window is the one that the last run recorded. OpenClaw's own list may take that of the model
 * which is configured now.
 */
export function withRecordedWindow(row: SessionRow, { entry }: Pick<StoredSession, 'entry'>): SessionRow {
  const { contextTokens } = entry;
  return contextTokens !== undefined && contextTokens > 0 ? { ...row, contextTokens } : row;
}
