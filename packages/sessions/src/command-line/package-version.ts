import { readFileSync } from 'node:fs';

/** The version in the nearest package.json two folders above a module: sources, build and bundle are all that deep. */
export function readPackageVersion(moduleUrl: string): string {
  const manifest = readFileSync(new URL('../../package.json', moduleUrl), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
