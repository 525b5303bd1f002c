import { OpenBotError } from '@openbot/sessions';
import { writeJson } from '@openbot/sessions/command-line';
import { withWarnings } from '../finding/search-warning.ts';
import { executeEdit } from '../operations/execute-edit.ts';
import { formatEdit } from '../report/edit.ts';
import { keepsOriginal, type OccInput } from './command.ts';
import type { EDIT_FLAGS } from './flags.ts';
import { reportOptionsOf } from './report-options.ts';
import { openSearch } from './search-scope.ts';
import { chooseRemoval, explainPresetTakenForSession } from './tool-removal-flags.ts';
import { writeReport } from './write-result.ts';

/** Cleans a session in place. */
export async function edit(input: OccInput<typeof EDIT_FLAGS>): Promise<void> {
  const { flags, terminal } = input;
  const removal = chooseRemoval(input);
  if (removal === undefined) {
    throw new OpenBotError('USAGE', 'Nothing to do: say what to clean', {
      hint: "Add --strip-tools, or --keep <n>, --truncate <percent> or --truncate-over <n>; 'occ edit --help' explains them",
    });
  }
  if (flags.whenIdle && flags.wait !== undefined) {
    throw new OpenBotError('USAGE', '--wait and --when-idle contradict each other', {
      hint: '--wait stays until the session is free; --when-idle returns at once and cleans in the background',
    });
  }
  const { scope, warnings } = openSearch(input);
  const outcome = await executeEdit({
    scope,
    sessionId: input.words[0],
    ...removal,
    dryRun: flags.dryRun === true,
    force: flags.force === true,
    waitMs: flags.wait === undefined ? undefined : flags.wait * 1000,
    whenIdle: flags.whenIdle === true,
    keepOriginal: keepsOriginal(input),
  }).catch((error: unknown) => {
    throw explainPresetTakenForSession(error, input);
  });
  if (outcome.result.changed) await input.host?.onChange?.(outcome.result, 'rewritten');
  if (flags.json) writeJson(terminal, withWarnings(outcome.result, warnings));
  else writeReport(terminal, formatEdit(outcome, reportOptionsOf(input, scope)));
}
