import { readFileSync } from 'node:fs';

/** The sources, the build and the bundle all stand two folders below the manifest. */
export function readVersion(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
