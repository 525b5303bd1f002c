import { realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, extname, isAbsolute, join, resolve } from 'node:path';
import { readSmallFile } from '@openbot/sessions/layout';

const DATA_EXTENSIONS = ['.json', '.jsonc', '.json5', '.yaml', '.yml', '.toml'];
const CODE_EXTENSIONS = ['.js', '.ts', '.mjs', '.cjs', '.mts', '.cts'];

const RC_FILE = '.occrc';
const PACKAGE_FILE = 'package.json';

export interface ConfigurationFile {
  readonly path: string;
  /** `code` is run, everything else is only read. */
  readonly kind: 'data' | 'code' | 'rc' | 'package';
  /** Relative paths in it start here. */
  readonly base: string;
  /** Written by the user: in the home folder, or named by a flag. A file in the working folder may be of another author. */
  readonly isOwn: boolean;
}

interface FoundConfiguration {
  /** An earlier file wins over a later one, key by key. */
  readonly files: readonly ConfigurationFile[];
  /** Code in the working folder. It is never run: the folder may be a repository of another author. */
  readonly notRun: string | undefined;
}

/**
 * The configuration files that apply, judged by their names alone. The working folder and the folders above it may hold
 * data; only the home folder may hold code.
 */
export function findConfiguration(cwd: string): FoundConfiguration {
  const folders = listFoldersUpward(cwd);
  const nearest = [
    { folder: cwd, names: ['occ.config'], base: cwd },
    { folder: join(cwd, '.config'), names: ['occ', 'occ.config'], base: cwd },
  ];
  const own = findOwnFile();
  const files = [
    findFile(nearest, DATA_EXTENSIONS),
    ...[...folders, configHome() ?? homeFolder()].map(findRcFile),
    findPackageFile(folders),
    own,
  ].filter((file) => file !== undefined);
  const code = findFile(nearest, CODE_EXTENSIONS)?.path;
  const notRun = code === undefined || (own && realPath(code) === realPath(own.path)) ? undefined : code;
  return { files: withoutRepeats(files), notRun };
}

/** The file that `--config` names. Its name alone decides how it is read. */
export function nameConfiguration(path: string): ConfigurationFile {
  const extension = extname(path);
  const kind = CODE_EXTENSIONS.includes(extension)
    ? 'code'
    : basename(path) === PACKAGE_FILE
      ? 'package'
      : DATA_EXTENSIONS.includes(extension)
        ? 'data'
        : 'rc';
  return { path, kind, base: dirname(path), isOwn: true };
}

interface SearchedFolder {
  readonly folder: string;
  readonly names: readonly string[];
  readonly base: string;
}

/** The configuration of the user. It may be code. */
function findOwnFile(): ConfigurationFile | undefined {
  const home = homeFolder();
  const xdg = configHome();
  const names = ['occ', 'occ.config'];
  const places: SearchedFolder[] = [];
  if (xdg !== undefined) places.push({ folder: xdg, names, base: xdg });
  else if (home !== undefined) places.push({ folder: join(home, '.config'), names, base: home });
  if (home !== undefined) places.push({ folder: home, names: ['occ.config'], base: home });
  return findFile(places, [...CODE_EXTENSIONS, ...DATA_EXTENSIONS]);
}

function findFile(
  places: readonly SearchedFolder[],
  extensions: readonly string[],
): ConfigurationFile | undefined {
  for (const { folder, names, base } of places) {
    if (!exists(folder)) continue;
    for (const name of names) {
      const path = extensions.map((extension) => join(folder, name + extension)).find(exists);
      if (path !== undefined) return { ...nameConfiguration(path), base, isOwn: isOwnFolder(folder) };
    }
  }
  return undefined;
}

function findRcFile(folder: string | undefined): ConfigurationFile | undefined {
  const path = folder === undefined ? undefined : join(folder, RC_FILE);
  if (path === undefined || !exists(path)) return undefined;
  return { path, kind: 'rc', base: folder!, isOwn: isOwnFolder(folder!) };
}

/** The nearest package.json, where it has an `occ` key. */
function findPackageFile(folders: readonly string[]): ConfigurationFile | undefined {
  const path = folders.map((folder) => join(folder, PACKAGE_FILE)).find(exists);
  if (path === undefined) return undefined;
  try {
    const manifest = JSON.parse(readSmallFile(path)) as { occ?: unknown } | null;
    return manifest?.occ === undefined ? undefined : packageFile(path);
  } catch {
    // Other programs report a manifest that is broken or cannot be read.
    return undefined;
  }
}

function packageFile(path: string): ConfigurationFile {
  return { path, kind: 'package', base: dirname(path), isOwn: isOwnFolder(dirname(path)) };
}

function isOwnFolder(folder: string): boolean {
  const home = homeFolder();
  const own = [configHome(), home, home === undefined ? undefined : join(home, '.config')];
  return own.some((path) => path !== undefined && realPath(path) === realPath(folder));
}

/** A relative path would lead into the working folder. */
function homeFolder(): string | undefined {
  const home = homedir();
  return isAbsolute(home) ? home : undefined;
}

function configHome(): string | undefined {
  const { XDG_CONFIG_HOME: folder } = process.env;
  return folder !== undefined && isAbsolute(folder) ? folder : undefined;
}

/** The home folder may be the working folder or a folder above it. */
function withoutRepeats(files: readonly ConfigurationFile[]): ConfigurationFile[] {
  const paths = files.map(({ path }) => realPath(path));
  return files.filter((_, at) => paths.indexOf(paths[at]!) === at);
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function exists(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
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
