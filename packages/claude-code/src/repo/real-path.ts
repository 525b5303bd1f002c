import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';

/** The path with links resolved; if it is gone, as much of it as exists. */
export function findRealPath(path: string): string {
  const missing: string[] = [];
  for (let at = resolve(path); ; at = dirname(at)) {
    try {
      return join(realpathSync.native(at), ...missing);
    } catch {
      if (dirname(at) === at) return resolve(path);
      missing.unshift(basename(at));
    }
  }
}

/** Whether `path` is `folder` or below it. Both are real paths. */
export function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
