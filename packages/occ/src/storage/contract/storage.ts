import type { FindingStorage } from './finding.ts';
import type { FollowingStorage } from './following.ts';
import type { FoundSession, SourceName, StorageName } from './found-session.ts';
import type { RewritingStorage } from './rewriting.ts';
import type { UseStorage } from './use.ts';

/** One way in which a program keeps its sessions. */
export interface SessionStorage extends FindingStorage {
  readonly name: StorageName;
  readonly source: SourceName;
  /** What its sessions have as `storage` in output. */
  readonly storage?: FoundSession['storage'];
  /**
   * The path of the transcript, beside which the backups and the journal are. Of a session in a database, the path that
   * its transcript would have as a file. Throws SESSION_UNSUPPORTED for an id that cannot be a file name.
   */
  transcriptPathOf(session: Pick<FoundSession, 'path' | 'sessionId'>): string;
  /** What a rewrite could not write, for a message. */
  failedPathOf(session: FoundSession, fault: FileFault): string;
  /** Reading and rewriting whole sessions. Loaded on demand: commands that only list do not need it. */
  rewriting(): Promise<RewritingStorage>;
  /** Who uses a session. Loaded on demand. */
  use(): Promise<UseStorage>;
  /** Reading lines as they are added. Loaded on demand. */
  following(): Promise<FollowingStorage>;
}

/** A failed system call, or an error that was caused by one. */
export type FileFault = NodeJS.ErrnoException & { readonly dest?: string };
