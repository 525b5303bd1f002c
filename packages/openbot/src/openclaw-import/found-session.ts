import type { StoredEntry } from '@openbot/sessions';

/** A session id of an OpenClaw. */
export interface FoundSession {
  readonly sessionId: string;
  /** The name of its transcript. */
  readonly fileName: string;
  /** Where a key points to it now. */
  readonly current?: { readonly key: string; readonly entry: StoredEntry };
  /** The file with its lines, where it is one that can be compared as it is. */
  readonly file?: string;
  /** Writes its lines to a new file, to the last of them and onto the disk. Absent where it has none. */
  write?(path: string): void;
}

/** What stays behind, and why. */
export interface LeftOut {
  /** A setting, a session or a file. */
  readonly what: string;
  readonly why: string;
}

export interface FoundSessions {
  /** The store or the database. */
  readonly path: string;
  readonly sessions: readonly FoundSession[];
  readonly leftOut: readonly LeftOut[];
}
