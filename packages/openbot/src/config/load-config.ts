import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { OpenBotError } from '@openbot/sessions';
import type { Environment } from '@openbot/sessions/layout';
import { type BotConfig, CONFIG_FILE_NAME } from './bot-config.ts';

export { CONFIG_FILE_NAME };

export interface LoadedConfig {
  /** Where the file is, or would be. */
  readonly path: string;
  readonly exists: boolean;
  readonly config: BotConfig;
}

/**
 * The configuration of a state folder, with the values of the variables that it names. Without a file it is empty. It is
 * data: nothing in it is executed. Throws CONFIG_INVALID.
 */
export async function loadBotConfig(stateDir: string, env: Environment): Promise<LoadedConfig> {
  const path = join(stateDir, CONFIG_FILE_NAME);
  // A link that leads nowhere is not the same as no file.
  if (!isThere(path, stateDir)) return { path, exists: false, config: {} };
  const { readConfigFile } = await import('./config-file.ts');
  return { path, exists: true, config: readConfigFile(path, env) };
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
