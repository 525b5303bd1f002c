import type { StoredSession } from '@openbot/sessions';
import type { SourceName } from './found-session.ts';

/** What the names of files, their state and the index say of a session, before its transcript is opened. */
export interface LocatedSession {
  readonly source: SourceName;
  readonly agentId: string | null;
  readonly sessionId: string;
  /** The file's name without `.jsonl`: it tells the topics of one session apart. */
  readonly stem: string;
  readonly path: string;
  /** Milliseconds, with their fraction. */
  readonly updatedAt: number;
  readonly sizeBytes: number;
  readonly missing: boolean;
  /** What the index says of it, under every key that leads to it, the one used last first. */
  readonly entries: readonly StoredSession[];
  /** A file beside the transcript that holds the title a person gave it. */
  readonly titlePath?: string | undefined;
}

export const NO_ENTRIES: readonly StoredSession[] = [];

/** A text that the index holds of a session, from the newest entry that has it. */
export function findText({ entries }: LocatedSession, field: 'label' | 'displayName'): string | undefined {
  for (const { entry } of entries) {
    const value: unknown = entry[field];
    if (typeof value === 'string' && value.trim() !== '') return value;
  }
  return undefined;
}

/** Newest first; of equal age a session that can be opened first, then by path. */
export function compareByAge(a: LocatedSession, b: LocatedSession): number {
  if (a.updatedAt !== b.updatedAt) return b.updatedAt - a.updatedAt;
  if (a.missing !== b.missing) return a.missing ? 1 : -1;
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}
