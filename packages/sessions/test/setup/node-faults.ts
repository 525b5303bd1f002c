/** Changes to Node itself, for the time of one call: what is under test runs as it is. */
import fs, { readlinkSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

/** Runs `act` as on a file system without hard links. */
export async function withoutHardLinks<T>(act: () => Promise<T>): Promise<T> {
  const { linkSync } = fs;
  fs.linkSync = () => {
    throw Object.assign(new Error('EPERM: made by the test'), { code: 'EPERM' });
  };
  syncBuiltinESMExports();
  try {
    return await act();
  } finally {
    fs.linkSync = linkSync;
    syncBuiltinESMExports();
  }
}

const PATH_CALLS = [
  'realpath',
  'open',
  'stat',
  'lstat',
  'mkdir',
  'readdir',
  'rename',
  'readlink',
  'unlink',
] as const;

/**
 * Runs `act` and calls `before` with 0, 1, 2, … before each call that gives a path to the file system, so that a test can
 * change something at every moment. Returns how many there were.
 */
export async function beforePathCalls(
  before: (call: number) => void,
  act: () => Promise<unknown>,
): Promise<number> {
  const calls = fs.promises as unknown as Record<string, (...args: unknown[]) => unknown>;
  const originals = PATH_CALLS.map((name) => [name, calls[name]!] as const);
  let count = 0;
  for (const [name, original] of originals) {
    calls[name] = (...args) => {
      before(count++);
      return original(...args);
    };
  }
  syncBuiltinESMExports();
  try {
    await act();
  } finally {
    for (const [name, original] of originals) calls[name] = original;
    syncBuiltinESMExports();
  }
  return count;
}

export const NO_PROC = 'only Linux tells which file a descriptor belongs to';

/** The files and folders that were synced while `act` ran, in order. Linux only. */
export async function recordSyncs(act: () => Promise<unknown>): Promise<string[]> {
  const any = await open(process.execPath);
  const handles: FileHandle = Object.getPrototypeOf(any);
  await any.close();
  const { sync } = handles;
  const synced: string[] = [];
  handles.sync = function (this: FileHandle) {
    synced.push(readlinkSync(`/proc/self/fd/${this.fd}`));
    return sync.call(this);
  };
  try {
    await act();
  } finally {
    handles.sync = sync;
  }
  return synced;
}
