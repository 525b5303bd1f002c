import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const EXTENSIONS = ['js', 'ts', 'mjs', 'cjs', 'mts', 'cts', 'json', 'jsonc', 'json5', 'yaml', 'yml', 'toml'];

export interface ConfigurationPlaces {
  /** `occ.config.*`. */
  readonly configFile: string | undefined;
  /** Run control files that exist, nearest first. */
  readonly rcFiles: readonly string[];
  /** The nearest package.json, where it has an `occ` key. */
  readonly packageJson: { readonly path: string; readonly occ: unknown } | undefined;
}

/**
 * Whether there is anything to load: the places where c12 looks, found by looking at names alone. Undefined when it
 * would find nothing. The home folder is this process's, as it is for c12.
 */
export function findConfiguration(cwd: string): ConfigurationPlaces | undefined {
  const folders = listFoldersUpward(cwd);
  const rcFiles = [...new Set([...folders, process.env.XDG_CONFIG_HOME || homedir()])]
    .map((folder) => join(folder, '.occrc'))
    .filter((path) => existsSync(path));
  const packageJson = findPackageJson(folders);
  const configFile = findConfigFile(cwd);
  if (rcFiles.length === 0 && packageJson === undefined && configFile === undefined) return undefined;
  return { configFile, rcFiles, packageJson };
}

function findConfigFile(cwd: string): string | undefined {
  const bases = [join(cwd, 'occ.config')];
  const folder = join(cwd, '.config');
  if (existsSync(folder)) bases.push(join(folder, 'occ'), join(folder, 'occ.config'));
  return bases
    .flatMap((base) => [base, ...EXTENSIONS.map((extension) => `${base}.${extension}`)])
    .find((path) => existsSync(path));
}

function findPackageJson(folders: readonly string[]): ConfigurationPlaces['packageJson'] {
  const path = folders.map((folder) => join(folder, 'package.json')).find((file) => existsSync(file));
  if (path === undefined) return undefined;
  try {
    const manifest = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
    return manifest.occ === undefined ? undefined : { path, occ: manifest.occ };
  } catch {
    // A manifest that is broken or out of reach is not ours to judge.
    return undefined;
  }
}

function listFoldersUpward(start: string): string[] {
  const folders = [resolve(start)];
  for (;;) {
    const parent = dirname(folders.at(-1)!);
    if (parent === folders.at(-1)) return folders;
    folders.push(parent);
  }
}
