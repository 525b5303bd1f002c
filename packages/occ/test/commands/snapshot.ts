import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** Everything in a folder and below it: names, kinds, modes, times, inodes and bytes. Equal only where nothing was written. */
export function takeSnapshot(folder: string): Record<string, string> {
  const names = ['.', ...readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()];
  return Object.fromEntries(names.map((name) => [name, describe(join(folder, name))]));
}

/** The same without folders, whose times show that a lock came and went. */
export function takeFileSnapshot(folder: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(takeSnapshot(folder)).filter(([, what]) => !what.endsWith(FOLDER)),
  );
}

const FOLDER = ' folder';

function describe(path: string): string {
  const stat = lstatSync(path, { bigint: true });
  const what = stat.isSymbolicLink()
    ? `-> ${readlinkSync(path)}`
    : stat.isFile()
      ? createHash('sha256').update(readFileSync(path)).digest('hex')
      : FOLDER.trim();
  return [stat.ino, stat.mode.toString(8), stat.size, stat.mtimeNs, stat.ctimeNs, what].join(' ');
}
