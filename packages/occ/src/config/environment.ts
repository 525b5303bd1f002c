import { OpenBotError } from '@openbot/sessions';
import type { OutputFormat } from './configuration.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

interface EnvironmentSettings {
  readonly defaultAgentId: string | undefined;
  readonly defaultPreset: string | undefined;
  readonly outputFormat: OutputFormat | undefined;
  readonly verboseOutput: boolean | undefined;
  readonly keepOriginal: boolean | undefined;
}

const YES_OR_NO = [
  ['true', true],
  ['false', false],
  ['1', true],
  ['0', false],
] as const;

/** The OCC_* variables, checked. An empty one counts as unset. */
export function readEnvironmentSettings(env: Environment): EnvironmentSettings {
  return {
    defaultAgentId: read(env, 'OCC_DEFAULT_AGENT_ID'),
    defaultPreset: read(env, 'OCC_DEFAULT_PRESET'),
    outputFormat: readOne<OutputFormat>(env, 'OCC_OUTPUT_FORMAT', [
      ['human', 'human'],
      ['json', 'json'],
    ]),
    verboseOutput: readOne<boolean>(env, 'OCC_VERBOSE_OUTPUT', YES_OR_NO),
    keepOriginal: readOne<boolean>(env, 'OCC_KEEP_ORIGINAL', YES_OR_NO),
  };
}

function read(env: Environment, name: string): string | undefined {
  return env[name]?.trim() || undefined;
}

function readOne<T>(
  env: Environment,
  name: string,
  choices: readonly (readonly [written: string, meaning: T])[],
): T | undefined {
  const text = read(env, name)?.toLowerCase();
  if (text === undefined) return undefined;
  const choice = choices.find(([written]) => written === text);
  if (choice !== undefined) return choice[1];
  const known = choices.map(([written]) => written).join(', ');
  throw new OpenBotError('CONFIG_INVALID', `${name} must be one of ${known}, not '${env[name]}'`, {
    hint: `Correct the variable, or remove it: unset ${name}`,
  });
}
