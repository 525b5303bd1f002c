import { type CustomPresets, DEFAULT_PRESET_NAME } from '../clean/presets.ts';
import type { OutputFormat, UserConfiguration } from './configuration.ts';
import { checkDefaultPreset } from './default-preset.ts';
import { type Environment, readEnvironmentSettings } from './environment.ts';
import { findConfiguration } from './find-configuration.ts';

export interface Settings {
  /** From a configuration file alone; variables for it are read where sessions are searched. */
  readonly stateDirectory?: string | undefined;
  readonly defaultAgentId?: string | undefined;
  readonly defaultPreset: string;
  readonly customPresets: CustomPresets;
  readonly outputFormat: OutputFormat;
  readonly verboseOutput: boolean;
}

export interface SettingsSources {
  readonly env: Environment;
  readonly cwd: string;
  readonly flags?: { readonly json?: boolean; readonly verbose?: boolean };
}

/** Flags, then the environment, then configuration files, then defaults. */
export async function loadSettings({ env, cwd, flags = {} }: SettingsSources): Promise<Settings> {
  const variables = readEnvironmentSettings(env);
  const file = await readConfiguration(cwd);
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
  };
}

/** What the configuration files say. Nothing is loaded for it where there is none. */
async function readConfiguration(cwd: string): Promise<UserConfiguration> {
  const places = findConfiguration(cwd);
  if (places === undefined) return {};
  const { loadConfigurationFiles } = await import('./load-files.ts');
  return loadConfigurationFiles(cwd, places);
}
