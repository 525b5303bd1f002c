import { resolve } from 'node:path';
import { type CustomPresets, DEFAULT_PRESET_NAME } from '../clean/presets.ts';
import type { OutputFormat, UserConfiguration } from './configuration.ts';
import { checkDefaultPreset } from './default-preset.ts';
import { type Environment, readEnvironmentSettings } from './environment.ts';
import { type ConfigurationFile, findConfiguration, nameConfiguration } from './find-configuration.ts';

export interface Settings {
  /** From a configuration file alone; the search reads the variables for it. */
  readonly stateDirectory?: string;
  readonly defaultAgentId?: string;
  readonly defaultPreset: string;
  readonly customPresets: CustomPresets;
  readonly outputFormat: OutputFormat;
  readonly verboseOutput: boolean;
  readonly keepOriginal: boolean;
  /** Configuration in the working folder that was not run because it is code. */
  readonly notRun?: string;
}

export interface SettingsSources {
  readonly env: Environment;
  readonly cwd: string;
  readonly flags?: { readonly json?: boolean; readonly verbose?: boolean; readonly config?: string };
}

/** Flags, then the environment, then configuration files, then defaults. */
export async function loadSettings({ env, cwd, flags = {} }: SettingsSources): Promise<Settings> {
  const variables = readEnvironmentSettings(env);
  const { files, notRun } = chooseFiles(cwd, flags.config);
  const file = await readConfiguration(cwd, files);
  if (variables.defaultPreset !== undefined) {
    checkDefaultPreset(variables.defaultPreset, file.customPresets, 'OCC_DEFAULT_PRESET');
  }
  const json = flags.json === undefined ? undefined : flags.json ? 'json' : 'human';
  return {
    stateDirectory: file.stateDirectory,
    defaultAgentId: variables.defaultAgentId ?? file.defaultAgentId,
    defaultPreset: variables.defaultPreset ?? file.defaultPreset ?? DEFAULT_PRESET_NAME,
    customPresets: file.customPresets ?? {},
    outputFormat: json ?? variables.outputFormat ?? file.outputFormat ?? 'human',
    verboseOutput: flags.verbose ?? variables.verboseOutput ?? file.verboseOutput ?? false,
    keepOriginal: variables.keepOriginal ?? file.keepOriginal ?? true,
    notRun,
  };
}

/** A file that a flag names replaces all others. */
function chooseFiles(cwd: string, named: string | undefined) {
  if (named === undefined) return findConfiguration(cwd);
  return { files: [nameConfiguration(resolve(cwd, named))], notRun: undefined };
}

/** The configuration files merged. Without files, their loader is not loaded. */
async function readConfiguration(
  cwd: string,
  files: readonly ConfigurationFile[],
): Promise<UserConfiguration> {
  if (files.length === 0) return {};
  const { loadConfigurationFiles } = await import('./load-files.ts');
  return loadConfigurationFiles(cwd, files);
}
