import { type Dirent, readdirSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';

/** Calls `take` for each file below a folder, with its path from there. There may be no such folder. */
export function eachFile(
  folder: string,
  take: (path: string, parts: readonly string[]) => void,
  warn?: (message: string) => void,
  above: readonly string[] = [],
): void {
  for (const entry of listFolder(folder, warn)) {
    const path = `${folder}/${entry.name}`;
    const parts = [...above, entry.name];
    if (entry.isFile()) take(path, parts);
    else if (entry.isDirectory()) eachFile(path, take, warn, parts);
  }
}

export function listFolder(folder: string, warn: (message: string) => void = () => {}): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') warn(`Cannot read ${join(folder)}: ${message}`);
    return [];
  }
}

/** What tells one state of a file from another; undefined where it is gone. */
export function markFile(path: string): { readonly mark: string; readonly changedAt: number } | undefined {
  let stats: Stats | undefined;
  try {
    stats = statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
  if (stats === undefined) return undefined;
  const { ino, size, mtimeMs, ctimeMs } = stats;
  return { mark: `${ino} ${size} ${mtimeMs} ${ctimeMs}`, changedAt: Math.max(mtimeMs, ctimeMs) };
}

/** Like the sort of ccusage: which of two equal lines counts depends on the order of the files. */
export function byPath(one: { readonly id: string }, other: { readonly id: string }): number {
  return one.id < other.id ? -1 : one.id > other.id ? 1 : 0;
}
