import { existsSync } from 'node:fs';
import { dirname, isAbsolute } from 'node:path';
import { OpenBotError } from '@openbot/sessions';

/**
 * Where the person stands. A folder that was deleted meanwhile still has its name, and what is looked for there is not
 * found; the process itself moves to what is left above it, for itself and for those that it starts.
 */
export function readWorkingFolder(env: Readonly<Record<string, string | undefined>>): string {
  try {
    return process.cwd();
  } catch {
    const folder = env.PWD;
    if (folder === undefined || !isAbsolute(folder)) {
      throw new OpenBotError('USAGE', 'The working folder does not exist any more', {
        hint: 'Go to a folder that exists: cd ~',
      });
    }
    process.chdir(findExisting(folder));
    return folder;
  }
}

function findExisting(folder: string): string {
  return existsSync(folder) ? folder : findExisting(dirname(folder));
}
