import { lstatSync, statSync } from 'node:fs';
import { OpenBotError } from '@openbot/sessions';
import { makeFolder } from '@openbot/sessions/disk';
import type { BackupPaths } from './backup-paths.ts';

/** Makes the folder for backups. A link to a folder is followed: backups may be on another disk. */
export async function makeBackupFolder({ folder }: BackupPaths): Promise<void> {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found?.isDirectory()) return;
  if (found !== undefined) throw noPlaceForBackups(folder, 'is not a folder');
  if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) return makeFolder(folder);
  throw noPlaceForBackups(folder, 'is a symbolic link that leads nowhere');
}

/** Something that is no folder has the name of the folder for backups. */
function noPlaceForBackups(folder: string, is: string): OpenBotError {
  return new OpenBotError('SESSION_UNSUPPORTED', `Cannot store a backup: ${folder} ${is}`, {
    hint: 'Nothing was changed. Move it away; occ creates a folder with that name.',
    details: { fails: ['edit', 'clone', 'restore'] },
  });
}
