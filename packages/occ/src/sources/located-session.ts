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
  /** Every key that leads to it, the one used last first. */
  readonly keys: readonly string[];
  readonly labels: readonly string[];
  readonly displayName?: string | undefined;
  /** A file beside the transcript that holds the title a person gave it. */
  readonly titlePath?: string | undefined;
}

/** Newest first; of equal age a session that can be opened first, then by path. */
export function compareByAge(a: LocatedSession, b: LocatedSession): number {
  if (a.updatedAt !== b.updatedAt) return b.updatedAt - a.updatedAt;
  if (a.missing !== b.missing) return a.missing ? 1 : -1;
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}
