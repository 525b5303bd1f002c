import { isAbsolute, relative, resolve, sep } from 'node:path';
import { OpenBotError } from '@openbot/sessions';
import { checkConfiguration } from './check-configuration.ts';
import type { UserConfiguration } from './configuration.ts';
import { checkDefaultPreset } from './default-preset.ts';
import type { ConfigurationFile } from './find-configuration.ts';
import { readConfigurationFile } from './read-file.ts';

interface Layer {
  readonly file: ConfigurationFile;
  readonly shownPath: string;
  readonly values: UserConfiguration;
}

/** The files merged. Each is checked alone, so that an error names its file. Throws CONFIG_INVALID. */
export async function loadConfigurationFiles(
  cwd: string,
  files: readonly ConfigurationFile[],
): Promise<UserConfiguration> {
  const layers: Layer[] = [];
  for (const file of files) layers.push(await loadLayer(file, showPath(file.path, cwd)));
  const first = <K extends keyof UserConfiguration>(key: K) =>
    layers.find(({ values }) => values[key] !== undefined);

  const customPresets = Object.fromEntries(
    layers
      .toReversed()
      .flatMap(({ values }) => Object.entries(values.customPresets ?? {}))
      .map(([name, preset]) => [name, { ...preset, name }]),
  );
  const preset = first('defaultPreset');
  if (preset !== undefined) {
    checkDefaultPreset(preset.values.defaultPreset!, customPresets, nameKey(preset, 'defaultPreset'));
  }
  const state = first('stateDirectory');
  return {
    stateDirectory: state && resolveFrom(state.file.base, state.values.stateDirectory!),
    defaultAgentId: first('defaultAgentId')?.values.defaultAgentId,
    defaultPreset: preset?.values.defaultPreset,
    outputFormat: first('outputFormat')?.values.outputFormat,
    verboseOutput: first('verboseOutput')?.values.verboseOutput,
    // A repository must not be able to discard the original of a session.
    keepOriginal: layers.find(({ file, values }) => file.isOwn && values.keepOriginal !== undefined)?.values
      .keepOriginal,
    customPresets,
  };
}

async function loadLayer(file: ConfigurationFile, shownPath: string): Promise<Layer> {
  const values = await readConfigurationFile(file, shownPath);
  const under = file.kind === 'package' ? 'occ' : undefined;
  if (under === undefined && (typeof values !== 'object' || values === null || Array.isArray(values))) {
    throw new OpenBotError('CONFIG_INVALID', `${shownPath} must be an object`, {
      hint: 'Correct the file, or move it away',
    });
  }
  checkConfiguration(values, { under, shownPath });
  return { file, shownPath, values: values as UserConfiguration };
}

function nameKey({ file, shownPath }: Layer, key: string): string {
  return `${shownPath}: ${file.kind === 'package' ? `occ.${key}` : key}`;
}

function resolveFrom(folder: string, path: string): string {
  return isAbsolute(path) || /^~(?=$|[/\\])/.test(path) ? path : resolve(folder, path);
}

function showPath(path: string, cwd: string): string {
  const below = relative(cwd, path);
  const isBelow = below !== '' && below !== '..' && !below.startsWith(`..${sep}`) && !isAbsolute(below);
  return isBelow ? below.split(sep).join('/') : path;
}
