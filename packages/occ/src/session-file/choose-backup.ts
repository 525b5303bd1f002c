import { RestoreError } from '../errors.ts';
import type { Backup } from './backups.ts';

/** The backup that was asked for, or the newest. */
export function chooseBackup(
  { sessionId, backup }: { sessionId: string; backup?: number | undefined },
  backups: readonly Backup[],
): Backup {
  const newest = backups.at(-1);
  if (newest === undefined) {
    throw new RestoreError(`No backup found for session '${sessionId}'`, {
      hint: 'Session has not been edited',
    });
  }
  if (backup === undefined) return newest;
  const chosen = backups.find(({ number }) => number === backup);
  if (chosen !== undefined) return chosen;
  throw new RestoreError(`Session '${sessionId}' has no backup ${backup}`, {
    hint: `There are: ${backups.map(({ number }) => number).join(', ')}; --list in the place of --backup shows them`,
  });
}
