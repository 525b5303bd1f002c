/**
 * Takes out of the `dist` of each package what former builds made of files that are gone: all of it is published. What is
 * as it should be is not touched: a process may be loading it.
 */
import { existsSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const PACKAGES = join(import.meta.dirname, '..', '..');
const MADE = /\.(?:js|d\.ts)(?:\.map)?$/;
/** The bundles of a command have no source of their own, and are cleared by who makes them. */
const MADE_OTHERWISE = new Set(['bin', '.tsbuildinfo']);

/** @param folder of a package */
export function removeFormer(folder: string): void {
  if (existsSync(join(folder, 'dist'))) clear(folder, []);
}

function clear(folder: string, below: readonly string[]): void {
  const place = join(folder, 'dist', ...below);
  for (const entry of readdirSync(place, { withFileTypes: true })) {
    if (below.length === 0 && MADE_OTHERWISE.has(entry.name)) continue;
    const source = join(folder, 'src', ...below, entry.name.replace(MADE, '.ts'));
    if (entry.isDirectory()) clear(folder, [...below, entry.name]);
    else if (!existsSync(source)) rmSync(join(place, entry.name));
  }
  if (below.length > 0 && readdirSync(place).length === 0) rmdirSync(place);
}

if (process.argv[1] === import.meta.filename) {
  for (const name of readdirSync(PACKAGES)) removeFormer(join(PACKAGES, name));
}
