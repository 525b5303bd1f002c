import { createRequire } from 'node:module';
import { join } from 'node:path';
import { readDataFile } from '@openbot/sessions/layout';
import { CONFIG_FILE_NAME } from './bot-config.ts';

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

/** Loaded where a file is no plain JSON. */
function parseJson5(text: string): unknown {
  const { parseJSON5 } = createRequire(import.meta.url)('confbox/json5') as typeof import('confbox/json5');
  return parseJSON5(text);
}
