import { basename, dirname, join } from 'node:path';
import type { FoundSession, SourceName } from '../sources/found-session.ts';

/** pi lists every `.jsonl` of its folder as a session, so that what we keep there stands one folder below. */
const PI_FOLDER = 'backups';

/** Where the backups and the journal of a session are. */
export interface KeepingPlace {
  readonly folder: string;
  /** The name of the transcript without its ending. */
  readonly stem: string;
  readonly journalPath: string;
}

/**
 * The transcript of a session, beside which its backups are. The lines of one in OpenClaw's database have no file: it is
 * the one that they would be in.
 */
export function transcriptPathOf({ path, storage, sessionId }: FoundSession): string {
  if (storage !== 'sqlite') return path;
  return join(dirname(dirname(path)), 'sessions', `${sessionId}.jsonl`);
}

export function keepingPlaceOf(path: string, source: SourceName): KeepingPlace {
  const stem = basename(path).replace(/\.jsonl$/, '');
  const folder = source === 'pi' ? join(dirname(path), PI_FOLDER) : dirname(path);
  return { folder, stem, journalPath: join(folder, `${stem}.occ.json`) };
}

export function backupPathOf({ folder, stem }: KeepingPlace, number: number): string {
  return join(folder, `${stem}.backup.${number}.jsonl`);
}
