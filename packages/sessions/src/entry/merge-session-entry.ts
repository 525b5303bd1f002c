import type { SessionEntry } from './session-entry.ts';

/**
 * The entry with the patch applied. `updatedAt` never goes back, whatever the clock or the patch says; without a
 * session id on either side a new one is made.
 */
export function mergeSessionEntry(
  existing: Readonly<SessionEntry> | undefined,
  patch: Readonly<Partial<SessionEntry>>,
  moment: { now: number; newId: () => string },
): SessionEntry {
  const sessionId = patch.sessionId ?? existing?.sessionId ?? moment.newId();
  const updatedAt = Math.max(readTime(existing?.updatedAt), readTime(patch.updatedAt), readTime(moment.now));
  return { ...existing, ...patch, sessionId, updatedAt };
}

function readTime(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}
