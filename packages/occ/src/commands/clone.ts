import { dirname } from 'node:path';
import { OpenBotError } from '@openbot/sessions';
import { writeJson } from '@openbot/sessions/command-line';
import { withWarnings } from '../finding/search-warning.ts';
import { expandPath, isFolder } from '../layout/look-at-disk.ts';
import { executeClone } from '../operations/execute-clone.ts';
import { formatClone } from '../report/clone.ts';
import type { SearchScope } from '../storage/contract/found-session.ts';
import type { OccInput } from './command.ts';
import type { CLONE_FLAGS } from './flags.ts';
import { reportOptionsOf } from './report-options.ts';
import { openSearch } from './search-scope.ts';
import { chooseRemoval, explainPresetTakenForSession } from './tool-removal-flags.ts';
import { writeReport } from './write-result.ts';

/** Copies a session to a new id; cleaned where flags ask for it. */
export async function clone(input: OccInput<typeof CLONE_FLAGS>): Promise<void> {
  const { flags, terminal } = input;
  const { scope, warnings } = openSearch(input);
  const outcome = await executeClone({
    scope,
    sessionId: input.words[0],
    toolRemoval: chooseRemoval(input)?.toolRemoval,
    outputPath: flags.output === undefined ? undefined : readOutputPath(flags.output, scope),
    noRegister: flags.noRegister === true,
    dryRun: flags.dryRun === true,
    force: flags.force === true,
  }).catch((error: unknown) => {
    throw explainPresetTakenForSession(error, input);
  });
  if (outcome.result.sessionKey !== undefined) await input.host?.onChange?.(outcome.result, 'made');
  if (flags.json) writeJson(terminal, withWarnings(outcome.result, warnings));
  else writeReport(terminal, formatClone(outcome, reportOptionsOf(input, scope)));
}

/** A folder that is not there is more often a slip than a wish. */
function readOutputPath(output: string, scope: SearchScope): string {
  const path = expandPath(output, scope);
  const folder = dirname(path);
  if (isFolder(folder)) return path;
  throw new OpenBotError('USAGE', `Cannot write ${path}: there is no folder ${folder}`, {
    hint: 'Create the folder first, or name another file with --output',
  });
}
