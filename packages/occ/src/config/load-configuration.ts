import { resolveAgentId, resolveStateDir } from '@openbot/sessions';
import { OCC_STATE } from '../layout/state-folder.ts';
import type { UserConfiguration } from './configuration.ts';
import type { Environment } from './environment.ts';
import { loadSettings, type Settings } from './settings.ts';

/** Every setting, with a value. */
export interface ResolvedConfiguration extends Settings {
  /** Absolute. */
  readonly stateDirectory: string;
  readonly defaultAgentId: string;
}

export interface LoadConfigurationOptions {
  /** Where configuration files are searched for; the current folder when left out. */
  readonly cwd?: string;
  readonly env?: Environment;
  /** Override the environment and files, as flags do. */
  readonly overrides?: UserConfiguration;
}

/** The configuration as `occ` uses it. Throws CONFIG_INVALID. */
export async function loadConfiguration(
  options: LoadConfigurationOptions = {},
): Promise<ResolvedConfiguration> {
  const { cwd = process.cwd(), env = process.env, overrides = {} } = options;
  const settings = await loadSettings({ env, cwd });
  return {
    stateDirectory: resolveStateDir({
      flag: overrides.stateDirectory,
      env,
      configured: settings.stateDirectory,
      convention: OCC_STATE,
    }),
    defaultAgentId: resolveAgentId({
      flag: overrides.defaultAgentId,
      env,
      configured: settings.defaultAgentId,
    }),
    defaultPreset: overrides.defaultPreset ?? settings.defaultPreset,
    customPresets: { ...settings.customPresets, ...overrides.customPresets },
    outputFormat: overrides.outputFormat ?? settings.outputFormat,
    verboseOutput: overrides.verboseOutput ?? settings.verboseOutput,
    keepOriginal: overrides.keepOriginal ?? settings.keepOriginal,
  };
}
