import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { OpenBotError } from '@openbot/sessions';

/** The file that starts occ, of the same installation as this module, be that sources, build or bundle. */
export function findLauncher(from: string = import.meta.dirname): string {
  for (let folder = from; ; folder = dirname(folder)) {
    const launcher = join(folder, 'bin', 'occ.js');
    if (existsSync(join(folder, 'package.json')) && existsSync(launcher)) return launcher;
    if (folder === dirname(folder)) break;
  }
  throw new OpenBotError(
    'EDIT_FAILED',
    'Cannot schedule the edit: the occ program is not where this module is',
    {
      hint: 'Install oc-context-cleaner as a whole, or run the edit when the session is idle.',
    },
  );
}
