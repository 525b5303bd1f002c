import { readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { OpenBotError } from '@openbot/sessions';
import { resolveUserPath } from '@openbot/sessions/layout';
import type { SearchScope } from '../storage/contract/found-session.ts';

/** The names in a folder; none where it does not exist. Throws where it cannot be read. */
export function readNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw unreadableFolder(folder, error as Error);
  }
}

export function readFolderNames(folder: string): string[] {
  return readNames(folder).filter((name) => !name.startsWith('.') && isFolder(`${folder}/${name}`));
}

/** Undefined where the path does not exist, cannot be reached or is not a file. */
export function statFile(path: string): Stats | undefined {
  const stats = statPath(path);
  return stats?.isFile() ? stats : undefined;
}

export function isFolder(path: string): boolean {
  return statPath(path)?.isDirectory() ?? false;
}

const ABSENT_IS_FINE = { throwIfNoEntry: false } as const;

function statPath(path: string): Stats | undefined {
  try {
    return statSync(path, ABSENT_IS_FINE);
  } catch {
    return undefined;
  }
}

/** Whether a path is in a folder, or was before its file was removed. Symbolic links are resolved. */
export function isBelow(path: string, folder: string): boolean {
  try {
    const real =
      statFile(path) === undefined ? join(realpathSync(dirname(path)), basename(path)) : realpathSync(path);
    return real.startsWith(realpathSync(folder) + sep);
  } catch {
    return false;
  }
}

/** The absolute form of a path that a user wrote: `~` is the home folder, a relative path starts in `cwd`. */
export function expandPath(text: string, { cwd, env }: Pick<SearchScope, 'cwd' | 'env'>): string {
  const trimmed = text.trim();
  const isFromHere = trimmed !== '' && !isAbsolute(trimmed) && !/^~(?=$|[/\\])/.test(trimmed);
  return resolveUserPath(isFromHere ? resolve(cwd, trimmed) : trimmed, env);
}

function unreadableFolder(folder: string, cause: Error): OpenBotError {
  return new OpenBotError(
    'TRANSCRIPT_UNREADABLE',
    `Cannot read the sessions folder ${folder}: ${cause.message}`,
    {
      hint: 'Check that it is a folder and who may read it.',
      cause,
    },
  );
}
