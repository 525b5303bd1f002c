import { readFileSync } from 'node:fs';

let version: string | undefined;

/** The version of this package. */
export function readPackageVersion(): string {
  version ??= readManifest().version;
  return version;
}

function readManifest(): { readonly version: string } {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
}
