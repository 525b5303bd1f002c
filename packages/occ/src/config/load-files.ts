import { dirname, extname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { loadConfig } from 'c12';
import { OccError } from '../errors.ts';
import { checkConfiguration } from './check-configuration.ts';
import type { UserConfiguration } from './configuration.ts';
import { checkDefaultPreset } from './default-preset.ts';
import type { ConfigurationPlaces } from './find-configuration.ts';
import { checkRcFile, findRcFileOf } from './rc-file.ts';

/** What c12 finds. Each place is checked alone, so that a fault names its file. Throws CONFIG_INVALID. */
export async function loadConfigurationFiles(
  cwd: string,
  places: ConfigurationPlaces,
): Promise<UserConfiguration> {
  for (const path of places.rcFiles) checkRcFile(path, showPath(path, cwd));
  const { config, layers = [] } = await loadWithC12(cwd, places);
  const written = layers.map((layer) => describeLayer(layer, places, cwd));
  for (const { values, under, fileOf } of written) {
    checkConfiguration(values, { under, fileOf: (key) => showPath(fileOf(key), cwd) });
  }
  // The first layer wins, and its relative paths count from where it stands.
  const holderOf = (key: keyof UserConfiguration) =>
    written.find(({ values }) => (values as UserConfiguration)[key] !== undefined);
  const holder = holderOf('stateDirectory');
  const { defaultPreset } = config;
  if (defaultPreset !== undefined) {
    const { under, fileOf } = holderOf('defaultPreset') ?? written[0]!;
    const key = under === undefined ? 'defaultPreset' : `${under}.defaultPreset`;
    checkDefaultPreset(
      defaultPreset,
      config.customPresets,
      `${showPath(fileOf('defaultPreset'), cwd)}: ${key}`,
    );
  }
  return {
    ...config,
    ...(config.stateDirectory === undefined || holder === undefined
      ? {}
      : { stateDirectory: resolveFrom(holder.folderOf('stateDirectory'), config.stateDirectory) }),
    customPresets: Object.fromEntries(
      Object.entries(config.customPresets ?? {}).map(([name, preset]) => [name, { ...preset, name }]),
    ),
  };
}

interface WrittenLayer {
  readonly values: unknown;
  readonly under?: string | undefined;
  fileOf(key: string): string;
  folderOf(key: string): string;
}

function describeLayer(
  { config, configFile }: { config?: unknown; configFile?: string | undefined },
  places: ConfigurationPlaces,
  cwd: string,
): WrittenLayer {
  if (configFile === 'package.json') {
    const path = places.packageJson?.path ?? join(cwd, configFile);
    // c12 would make an object of anything.
    const values = places.packageJson?.occ ?? {};
    return { values, under: 'occ', fileOf: () => path, folderOf: () => dirname(path) };
  }
  if (configFile === '.occrc') {
    const fileOf = (key: string) => findRcFileOf(key, places.rcFiles);
    return { values: config, fileOf, folderOf: (key) => dirname(fileOf(key)) };
  }
  return { values: config, fileOf: () => places.configFile ?? join(cwd, 'occ.config'), folderOf: () => cwd };
}

async function loadWithC12(cwd: string, { configFile }: ConfigurationPlaces) {
  try {
    return await loadConfig<UserConfiguration>({
      name: 'occ',
      cwd,
      rcFile: '.occrc',
      globalRc: true,
      packageJson: true,
      dotenv: false,
      envName: false,
      extend: false,
      giget: false,
      jitiOptions: { fsCache: false },
    });
  } catch (cause) {
    const file = showPath(configFile ?? cwd, cwd);
    // c12 takes what it read for an object.
    const isNoObject = cause instanceof TypeError && !/^\.[cm]?[jt]s$/.test(extname(file));
    const message = isNoObject ? `${file} must be an object` : `${file}: ${firstLine(cause, configFile)}`;
    throw new OccError(message, 'CONFIG_INVALID', { hint: 'Correct the file, or move it away', cause });
  }
}

function resolveFrom(folder: string, path: string): string {
  return isAbsolute(path) || /^~(?=$|[/\\])/.test(path) ? path : resolve(folder, path);
}

function showPath(path: string, cwd: string): string {
  const below = relative(cwd, path);
  return below === '' || below.startsWith('..') || isAbsolute(below) ? path : below.split(sep).join('/');
}

function firstLine(cause: unknown, file: string | undefined): string {
  const message = cause instanceof Error ? cause.message : String(cause);
  const line = message.split('\n')[0]!.trim();
  return file !== undefined && line.startsWith(`${file}: `) ? line.slice(file.length + 2) : line;
}
