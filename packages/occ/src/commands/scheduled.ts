import { OpenBotError } from '@openbot/sessions';
import { runScheduledTask } from '../operations/run-scheduled-task.ts';
import type { Command } from './command.ts';
import { searchScopeOf } from './search-scope.ts';

/** Runs in the background, started by occ itself. The outcome goes into the journal of the session. */
export const scheduled: Command = async (input) => {
  const [path, id] = input.words;
  if (path === undefined || id === undefined) {
    throw new OpenBotError('USAGE', 'occ starts this command itself', {
      hint: "'occ edit --when-idle' schedules an edit",
    });
  }
  await runScheduledTask({ scope: searchScopeOf(input), path, id });
};
