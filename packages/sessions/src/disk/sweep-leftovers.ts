import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseLeftoverName } from './leftover-name.ts';
import { claimStaleLock, DEFAULT_STALE_MS, judgeLock, readLockSnapshot, removeIfThere } from './lock-file.ts';
import { isHolderAlive } from './process-identity.ts';

// Temp files of other programs name a pid only, which may belong to another host: wait until no write can still run.
const FOREIGN_DEAD_MS = 60_000;
const ABANDONED_MS = 3_600_000;

/**
 * Removes what killed processes left in a folder: temp files and folders, claimed locks, claim guards. Only what is certainly of a
 * dead process, or too old to be in use. Returns the names that were removed.
 */
export function sweepLeftovers(folder: string, staleMs = DEFAULT_STALE_MS): string[] {
  return sweepNames(folder, listNames(folder), staleMs);
}

const CROWDED = 100;
const CROWDED_PAUSE_MS = 5000;
const PAUSE_MS = 500;
const MOST_FOLDERS = 1000;
/** When each folder is swept again. */
const nextSweeps = new Map<string, number>();

/** The same, but not at every call: listing a folder costs more than the lock that is taken there. */
export function sweepLeftoversIfCheap(folder: string, staleMs: number): void {
  const now = performance.now();
  if (now < (nextSweeps.get(folder) ?? 0)) return;
  const names = listNames(folder);
  if (nextSweeps.size >= MOST_FOLDERS) nextSweeps.clear();
  nextSweeps.set(folder, now + (names.length > CROWDED ? CROWDED_PAUSE_MS : PAUSE_MS));
  sweepNames(folder, names, staleMs);
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Sweeping is a courtesy: a folder that cannot be listed can still be written.
    return [];
  }
}

function sweepNames(folder: string, names: readonly string[], staleMs: number): string[] {
  return names.filter((name) => {
    if (!name.endsWith('.tmp') && !name.endsWith('.claimed') && !name.endsWith('.claim')) return false;
    try {
      const path = join(folder, name);
      return name.endsWith('.lock.claim') || name.endsWith('.claim.claim')
        ? sweepGuard(path, staleMs)
        : sweepLeftover(path, name);
    } catch {
      return false;
    }
  });
}

function sweepGuard(path: string, staleMs: number): boolean {
  const guard = readLockSnapshot(path);
  if (guard === undefined || judgeLock(guard, staleMs, Date.now()) === 'held') return false;
  return claimStaleLock(path, guard, staleMs);
}

function sweepLeftover(path: string, name: string): boolean {
  const leftover = parseLeftoverName(name);
  if (leftover === undefined) return false;
  const liveness = leftover.maker === undefined ? 'unknown' : isHolderAlive(leftover.maker);
  if (liveness === 'alive' || (liveness === 'unknown' && !isOutOfUse(path, leftover.pid))) return false;
  // A folder has such a name only where it was made to be renamed.
  if (leftover.maker !== undefined && isFolder(path)) rmSync(path, { recursive: true, force: true });
  else removeIfThere(path);
  return true;
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function isOutOfUse(path: string, pid: number): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined || !stat.isFile()) return false;
  const limit = isHolderAlive({ pid }) === 'dead' ? FOREIGN_DEAD_MS : ABANDONED_MS;
  return Date.now() - stat.mtimeMs > limit;
}
