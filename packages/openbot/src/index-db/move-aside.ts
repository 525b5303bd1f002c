import { readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { withLock } from '@openbot/sessions/disk';

/** Enough to find out what happened; each can be as large as the index. */
const MOST_KEPT = 3;

/** Which file has a name; undefined where there is none. */
export function identify(path: string): string | undefined {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats && `${stats.dev}-${stats.ino}`;
}

/**
 * Gives an index another name, unless its name has led to another file since it was opened: then a process before this one
 * has done it. Returns the new path.
 */
export async function moveAside(path: string, opened: string | undefined): Promise<string | undefined> {
  return withLock(`${path}.aside.lock`, {}, () => {
    if (opened === undefined || identify(path) !== opened) return undefined;
    const aside = freeName(path);
    // First the index of the log and the log: without its database no process takes them for its own.
    for (const ending of ['-shm', '-wal', '']) {
      try {
        renameSync(path + ending, aside + ending);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      }
    }
    removeOldest(path);
    return aside;
  });
}

function freeName(path: string): string {
  const stamp = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  for (let n = 1; ; n++) {
    const name = `${path}.aside-${stamp}${n === 1 ? '' : `-${n}`}`;
    if (statSync(name, { throwIfNoEntry: false }) === undefined) return name;
  }
}

/** Every file that belongs to an index which was moved aside: the database, and what SQLite keeps beside it. */
const ASIDE = /\.aside-\d{8}T\d{6}Z(?:-\d+)?$/;

function listAside(path: string): string[] {
  const name = basename(path);
  return readdirSync(dirname(path))
    .filter((one) => one.startsWith(name) && ASIDE.test(one))
    .sort()
    .map((one) => join(dirname(path), one));
}

function removeOldest(path: string): void {
  for (const old of listAside(path).slice(0, -MOST_KEPT)) removeAside(old);
}

export function removeAside(aside: string): void {
  for (const ending of ['', '-wal', '-shm']) rmSync(aside + ending, { force: true });
}
