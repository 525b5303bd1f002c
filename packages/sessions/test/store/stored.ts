import type { SessionEntry } from '../../src/entry/session-entry.ts';

export const entry = (sessionId: string, more: object = {}): SessionEntry => ({
  sessionId,
  updatedAt: 1,
  ...more,
});

/** The text of a store that holds one entry, under `k`. */
export const good = JSON.stringify({ k: entry('old') }, null, 2);
