import { join } from 'node:path';
import { readDataFile } from '@openbot/sessions/layout';
import { CONFIG_FILE_NAME } from './bot-config.ts';
import { parseJson5 } from './parse-json5.ts';

/** Says why `openbot.json` cannot be parsed. For commands that need none of its settings: no schema is loaded. */
export function findUnreadable(stateDir: string): string | undefined {
  const fail = (path: string, why: string) => new Error(`Cannot read the configuration ${path}: ${why}`);
  try {
    readDataFile(join(stateDir, CONFIG_FILE_NAME), { parseJson5, fail });
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
