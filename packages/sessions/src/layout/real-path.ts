import { readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';

/** As many as Linux follows. */
const MOST_LINKS = 40;

/** The path with links resolved, also those that lead to nothing yet; if it is gone, as much of it as exists. */
export function findRealPath(path: string): string {
  return follow(resolve(path), MOST_LINKS);
}

function follow(path: string, links: number): string {
  const missing: string[] = [];
  for (let at = path; ; at = dirname(at)) {
    try {
      return join(realpathSync.native(at), ...missing);
    } catch {
      const target = links === 0 ? undefined : targetOf(at);
      // Joined as texts: what `..` means is known when the links before it are resolved.
      if (target !== undefined) return follow([target, ...missing].join('/'), links - 1);
      if (dirname(at) === at) return path;
      missing.unshift(basename(at));
    }
  }
}

function targetOf(path: string): string | undefined {
  try {
    const target = readlinkSync(path).replace(/\/+$/, '');
    return isAbsolute(target) ? target : `${dirname(path)}/${target}`;
  } catch {
    return undefined;
  }
}
