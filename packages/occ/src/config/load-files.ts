import { readFileSync } from 'node:fs';
import { dirname, extname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { loadConfig } from 'c12';
import { OccError } from '../errors.ts';
import { checkConfiguration } from './check-configuration.ts';
import type { ConfigurationPlaces } from './find-configuration.ts';
import type { UserConfiguration } from './settings.ts';

/** What c12 finds. Each place is checked alone, so that a fault names its file. Throws CONFIG_INVALID. */
export async function loadConfigurationFiles(
  cwd: string,
  places: ConfigurationPlaces,
): Promise<UserConfiguration> {
  const show = (path: string) => showPath(path, cwd);
  for (const path of places.rcFiles) checkRcLines(path, show(path));
  if (places.packageJson !== undefined) {
    checkConfiguration(places.packageJson.occ, () => `${show(places.packageJson!.path)}: occ`);
  }
  const { config, layers = [] } = await loadWithC12(cwd, places);
  let stateFolderBase = cwd;
  for (const layer of layers.toReversed()) {
    const isRc = layer.configFile === '.occrc';
    const fileOf = (key: string): string =>
      isRc ? findRcFile(places.rcFiles, key) : (places.configFile ?? join(cwd, 'occ.config'));
    if (layer.configFile !== 'package.json') checkConfiguration(layer.config, (key) => show(fileOf(key)));
    if (layer.config?.stateDirectory === undefined) continue;
    if (isRc) stateFolderBase = dirname(fileOf('stateDirectory'));
    else stateFolderBase = layer.configFile === 'package.json' ? dirname(places.packageJson!.path) : cwd;
  }
  return {
    ...config,
    ...(config.stateDirectory === undefined
      ? {}
      : { stateDirectory: resolveFrom(stateFolderBase, config.stateDirectory) }),
    customPresets: Object.fromEntries(
      Object.entries(config.customPresets ?? {}).map(([name, preset]) => [name, { ...preset, name }]),
    ),
  };
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
    const reason = isNoObject ? 'must be an object' : firstLine(cause, configFile);
    throw new OccError(`${file}: ${reason}`, 'CONFIG_INVALID', {
      hint: 'Correct the file, or move it away',
      cause,
    });
  }
}

/** Other lines would be passed over in silence. */
function checkRcLines(path: string, shown: string): void {
  const lines = readFileSync(path, 'utf8').split(/\r\n|\n|\r/);
  const wrong = lines.findIndex((line) => /\S/.test(line) && !/^\s*([#;]|[^\s=]+\s*=)/.test(line));
  if (wrong < 0) return;
  throw new OccError(`${shown}: line ${wrong + 1} is not of the form key=value`, 'CONFIG_INVALID', {
    hint: 'Write lines such as defaultPreset=aggressive; JSON belongs into occ.config.json',
  });
}

/** The nearest file with a line for the key. */
function findRcFile(rcFiles: readonly string[], key: string): string {
  const has = (path: string) =>
    readFileSync(path, 'utf8')
      .split(/[\r\n]+/)
      .some((line) => /^\s*([^\s=.[]+)/.exec(line)?.[1] === key);
  return rcFiles.find(has) ?? rcFiles[0] ?? '.occrc';
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
