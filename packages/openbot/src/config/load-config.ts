import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { OpenBotError } from '@openbot/sessions';
import type { Environment } from '@openbot/sessions/layout';
import { type BotConfig, CONFIG_FILE_NAME } from './bot-config.ts';

export { CONFIG_FILE_NAME };

export interface LoadedConfig {
  /** Where `openbot.json` is, or would be. */
  readonly path: string;
  readonly exists: boolean;
  readonly config: BotConfig;
  /** The file of OpenClaw that was read in its place. */
  readonly openclawPath?: string;
  /** All files that were read: the configuration, and what it includes. */
  readonly files: readonly string[];
  /** Sentences for a person: nothing is wrong with the file. */
  readonly notices: readonly string[];
}

export interface LoadOptions {
  /**
   * For what only looks at settings and asks no model: a secret whose variable or file is not there is left out, and named
   * in a notice. Otherwise it is a fault.
   */
  readonly toleratesMissingSecrets?: boolean;
  /** Called with each file before it is read, with those of secrets, and also where reading fails. */
  readonly onFile?: (path: string) => void;
}

/** OpenClaw's names of its own, in the order in which it looks for them. */
export const OPENCLAW_NAMES = ['openclaw.json', 'clawdbot.json'];

/**
 * The configuration of a state folder, with the values of the variables and files that it names. Without `openbot.json`
 * it is that of OpenClaw in the same folder, of which only what is known here counts. Without either it is empty. It is
 * data: nothing in it is executed. Throws CONFIG_INVALID.
 */
export async function loadBotConfig(
  stateDir: string,
  env: Environment,
  options: LoadOptions = {},
): Promise<LoadedConfig> {
  const { path, exists, openclawPath } = findConfigFile(stateDir);
  if (!exists && openclawPath === undefined) return { path, exists, config: {}, files: [], notices: [] };
  const { readConfigFile } = await import('./config-file.ts');
  const read = readConfigFile(openclawPath ?? path, { ...options, env, isForeign: !exists });
  return { path, exists, ...read, ...(openclawPath === undefined ? {} : { openclawPath }) };
}

/** The file of a state folder, and that of OpenClaw where it is used in its place. */
export function findConfigFile(stateDir: string): Pick<LoadedConfig, 'path' | 'exists' | 'openclawPath'> {
  const path = join(stateDir, CONFIG_FILE_NAME);
  // A link that leads nowhere is not the same as no file.
  const exists = isThere(path, stateDir);
  const foreign = exists ? [] : OPENCLAW_NAMES.map((name) => join(stateDir, name));
  return { path, exists, openclawPath: foreign.find((other) => isThere(other, stateDir)) };
}

function isThere(path: string, stateDir: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOTDIR') throw cause;
    throw new OpenBotError('USAGE', `The state folder ${stateDir} is a file, or is inside one`, {
      hint: 'Name a folder with --state-dir or OPENBOT_STATE_DIR; a missing one is made',
      cause,
    });
  }
}
