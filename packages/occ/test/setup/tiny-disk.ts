import { spawnSync } from 'node:child_process';
import { afterTest } from '../../../../test/setup/cleaning.ts';

export const CANNOT_MOUNT = 'mounting a tmpfs needs root and the permission to mount';

/** Puts a disk of so many bytes on the folder until the end of the test. False where that is not permitted. */
export function mountTinyDisk(folder: string, bytes: number): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder]).status !== 0) return false;
  afterTest(() => spawnSync('umount', [folder]));
  return true;
}

/** Nothing on the disk can be changed any more; unlike permissions, this holds for root too. */
export function makeReadOnly(folder: string): boolean {
  return spawnSync('mount', ['-o', 'remount,ro', folder]).status === 0;
}
