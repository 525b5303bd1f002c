import type { Transcript } from '@openbot/sessions';
import type { LineReader } from '../../clean/plan.ts';
import type { FoundSession } from './found-session.ts';

/** The lines of a session at one moment. */
export interface SessionLines {
  readonly transcript: Transcript;
  readonly readLine: LineReader;
}

/** Reads and rewrites the sessions of one storage. */
export interface RewritingStorage {
  /** Reads a session as a whole. `use` must be done with the lines when it returns. */
  read<T>(session: FoundSession, use: (lines: SessionLines) => T): Promise<T>;
  /** Copies the session to a new backup and rotates old ones out. Resolves to its path. */
  backUp(session: FoundSession): Promise<string>;
  /** The backups of rewrites that took place, oldest first. Changes nothing. */
  listBackups(session: FoundSession): Backup[];
}

export interface Backup {
  readonly number: number;
  readonly path: string;
  readonly sizeBytes: number;
  readonly createdAt: number;
  /** `sessions`: beside the transcript, from an earlier version. `import archive`: OpenClaw moved it there. */
  readonly keptIn: 'backups' | 'sessions' | 'import archive';
}
