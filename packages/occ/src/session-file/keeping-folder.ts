import { lstatSync, statSync } from 'node:fs';
import { makeFolder } from '@openbot/sessions';
import { OccError } from '../errors.ts';
import type { KeepingPlace } from './place.ts';

/** Something that is no folder has the name of the folder for backups. */
export class NoPlaceForBackups extends OccError {
  constructor(folder: string, is: string) {
    super(`There is no place for backups: ${folder} ${is}`, 'SESSION_UNSUPPORTED', {
      hint: 'Nothing was changed. Move it away; occ makes a folder of that name.',
    });
  }
}

/** Makes the folder for backups. A link to a folder is followed: backups may be on another disk. */
export async function makeKeepingFolder({ folder }: KeepingPlace): Promise<void> {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found?.isDirectory()) return;
  if (found !== undefined) throw new NoPlaceForBackups(folder, 'is not a folder');
  if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) return makeFolder(folder);
  throw new NoPlaceForBackups(folder, 'is a symbolic link that leads nowhere');
}
