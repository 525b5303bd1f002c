import { constants, readFileSync, statSync } from 'node:fs';

/** Settings and titles are far smaller. */
const LARGEST_BYTES = 16 * 1024 * 1024;

/** For a pipe that takes the place of the file meanwhile. Windows has neither the flag nor such pipes. */
const WITHOUT_WAITING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/**
 * The text of a small file that may be in a folder of somebody else. A pipe or a device in its place would never end, and
 * no signal is heard meanwhile, so only an ordinary file is read.
 */
export function readSmallFile(path: string): string {
  const stats = statSync(path);
  if (stats.isDirectory()) throw new Error('it is a folder');
  if (!stats.isFile()) throw new Error('it is no ordinary file');
  if (stats.size > LARGEST_BYTES) throw new Error(`it is larger than ${LARGEST_BYTES} bytes`);
  // The type leaves out that flags may be a number.
  return readFileSync(path, { encoding: 'utf8', flag: WITHOUT_WAITING as unknown as string });
}
