import { backupPathsOf } from '../../backups/backup-paths.ts';
import type { FileFault, SessionStorage } from '../contract/storage.ts';
import { openclawSqliteFinding } from './finding.ts';
import { transcriptPathOf } from './transcript-path.ts';

export const openclawSqlite: SessionStorage = {
  name: 'openclaw-sqlite',
  source: 'openclaw',
  ...openclawSqliteFinding,
  storage: 'sqlite',
  transcriptPathOf,
  // SQLite reports its own failures as such: a failed system call was one on the backup.
  failedPathOf: (session, { dest, path, cause }) =>
    dest ??
    path ??
    (cause as FileFault | undefined)?.path ??
    `a backup in ${backupPathsOf(transcriptPathOf(session)).folder}`,
  rewriting: async () => (await import('./rewriting.ts')).sqliteRewriting,
  use: async () => (await import('./use.ts')).sqliteUse,
  following: async () => (await import('./following.ts')).sqliteFollowing,
};
