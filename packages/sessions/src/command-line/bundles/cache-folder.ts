import { existsSync, lstatSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';

/**
 * The folder of what was compiled. What is in it is run, so no other user can write to it; the temp folder, which is Node's own
 * choice, is open to all. Undefined where there is no such folder, or the user wants no cache.
 */
export function findCacheFolder(): string | undefined {
  const { env } = process;
  if (env.NODE_DISABLE_COMPILE_CACHE) return undefined;
  if (env.NODE_COMPILE_CACHE) return env.NODE_COMPILE_CACHE;
  try {
    return process.platform === 'win32' ? makeInTemp() : makePrivate(env);
  } catch {
    // No home folder, or none that can be written to.
    return undefined;
  }
}

/** The temp folder of Windows is the user's own. */
function makeInTemp(): string {
  const folder = join(process.getBuiltinModule('node:os').tmpdir(), 'openbot-compiled');
  mkdirSync(folder, { recursive: true });
  return folder;
}

function makePrivate({ HOME = '', XDG_CACHE_HOME = '' }: NodeJS.ProcessEnv): string | undefined {
  const home = isAbsolute(HOME) ? join(HOME, '.cache') : '';
  const cacheHome = isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : home;
  if (cacheHome === '' || !isSafeAbove(realpathSync(dirname(cacheHome)))) return undefined;
  // The checked folder is the one that is used: a link on the way to it can be changed later.
  const checked = realpathSync(make(cacheHome));
  if (!isSafeAbove(checked)) return undefined;
  const folder = join(checked, 'openbot');
  if (!isOwn(make(folder))) return undefined;
  const compiled = join(folder, 'compiled');
  return isOwn(make(compiled)) ? compiled : undefined;
}

/** A folder above is as good as ours where only this user and root can rename what is in it. */
function isSafeAbove(folder: string): boolean {
  const { uid, mode } = statSync(folder);
  const isShared = (mode & 0o022) !== 0 && (mode & 0o1000) === 0;
  if (isShared || (uid !== process.getuid!() && uid !== 0)) return false;
  return dirname(folder) === folder || isSafeAbove(dirname(folder));
}

function make(folder: string): string {
  if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 });
  return folder;
}

function isOwn(folder: string): boolean {
  const stats = lstatSync(folder);
  return stats.isDirectory() && stats.uid === process.getuid!() && (stats.mode & 0o077) === 0;
}
