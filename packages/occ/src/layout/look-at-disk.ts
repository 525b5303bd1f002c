import { readdirSync, type Stats, statSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { OpenBotError } from '@openbot/sessions';
import { resolveUserPath } from '@openbot/sessions/layout';
import type { SearchScope } from '../storage/contract/found-session.ts';

/** The names in a folder; none where there is no such folder. One that cannot be read is an error, not an empty one. */
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

/** Undefined for what is not there, cannot be reached or is no file. */
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

/** An absolute path from what a person wrote: `~` is the home folder, anything relative is from where they stand. */
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
