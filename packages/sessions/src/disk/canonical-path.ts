import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { OpenBotError } from '../errors.ts';
import { brieflyRemembered } from './brief-look.ts';

/** Where a folder is, whatever links lead to it. Throws where it does not exist. */
export const resolveFolder = brieflyRemembered((folder) => realpathSync.native(folder));

/** The same file under one spelling, whatever links lead to its folder. The file itself is not followed. */
export function resolveFolderLinks(path: string): string {
  const absolute = resolve(path);
  try {
    return join(resolveFolder(dirname(absolute)), basename(absolute));
  } catch {
    return absolute;
  }
}

/** Follows a file that is a symbolic link within its own folder; one that leads anywhere else is refused. */
export function resolveWithinFolder(path: string): string {
  const absolute = resolve(path);
  const stat = lstatSync(absolute, { throwIfNoEntry: false });
  if (!stat?.isSymbolicLink()) return absolute;
  let target: string;
  try {
    target = realpathSync.native(absolute);
  } catch (cause) {
    throw new OpenBotError('PATH_ESCAPES_FOLDER', `${absolute} is a symbolic link that leads nowhere`, {
      hint: 'Remove the link, or restore the file that it names.',
      cause,
    });
  }
  if (dirname(target) !== realpathSync.native(dirname(absolute))) {
    throw new OpenBotError(
      'PATH_ESCAPES_FOLDER',
      `${absolute} is a symbolic link out of its folder, to ${target}`,
      {
        hint: 'Link the whole folder instead, or move the file into it.',
      },
    );
  }
  return join(dirname(absolute), basename(target));
}
