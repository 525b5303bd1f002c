import { OccError } from '../errors.ts';
import type { OutputFormat } from './settings.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface EnvironmentSettings {
  readonly defaultAgentId: string | undefined;
  readonly defaultPreset: string | undefined;
  readonly outputFormat: OutputFormat | undefined;
  readonly verboseOutput: boolean | undefined;
}

/** The OCC_* variables, checked. An empty one counts as not set. */
export function readEnvironmentSettings(env: Environment): EnvironmentSettings {
  return {
    defaultAgentId: read(env, 'OCC_DEFAULT_AGENT_ID'),
    defaultPreset: read(env, 'OCC_DEFAULT_PRESET'),
    outputFormat: readOne(env, 'OCC_OUTPUT_FORMAT', { human: 'human', json: 'json' }),
    verboseOutput: readOne(env, 'OCC_VERBOSE_OUTPUT', { true: true, 1: true, false: false, 0: false }),
  };
}

function read(env: Environment, name: string): string | undefined {
  return env[name]?.trim() || undefined;
}

function readOne<T>(env: Environment, name: string, choices: Readonly<Record<string, T>>): T | undefined {
  const text = read(env, name)?.toLowerCase();
  if (text === undefined) return undefined;
  if (Object.hasOwn(choices, text)) return choices[text];
  const known = Object.keys(choices);
  throw new OccError(`${name} must be one of ${known.join(', ')}, not '${env[name]}'`, 'CONFIG_INVALID');
}
