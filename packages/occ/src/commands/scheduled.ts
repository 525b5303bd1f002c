import { OpenBotError } from '@openbot/sessions';
import { runScheduledTask } from '../operations/run-scheduled-task.ts';
import type { OccInput } from './command.ts';
import type { COMMON_FLAGS } from './flags.ts';
import { searchScopeOf } from './search-scope.ts';

/** Runs in the background, started by occ itself. The outcome goes into the journal of the session. */
export async function scheduled(input: OccInput<typeof COMMON_FLAGS>): Promise<void> {
  const [path, id] = input.words;
  if (path === undefined || id === undefined) {
    throw new OpenBotError('USAGE', 'occ starts this command itself', {
      hint: "'occ edit --when-idle' schedules an edit",
    });
  }
  await runScheduledTask({ scope: searchScopeOf(input), path, id });
}
