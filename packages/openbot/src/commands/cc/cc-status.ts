import { discoverSessions, formatProjectStatus, gatherProjectStatus } from '@openbot/claude-code';
import { type Progress, reportProgress } from '@openbot/sessions';
import { type CommandInput, writeJson } from '@openbot/sessions/command-line';
import { discoverWithProgress } from './discover-with-progress.ts';
import type { SEARCH_FLAGS } from './flags.ts';
import { readAgentState, readRepoPath } from './input.ts';

const ASKING: Progress = { step: 'ask', text: 'Asking git and GitHub' };

/** Shows git, GitHub, documents and sessions of a repository. */
export async function ccStatus(input: CommandInput<typeof SEARCH_FLAGS>): Promise<void> {
  const { env, flags, terminal } = input;
  const repoPath = readRepoPath(input);
  const { agentId } = readAgentState(input);
  reportProgress(ASKING);
  const status = await gatherProjectStatus(repoPath, {
    agentId,
    env,
    discover: (path, signal) =>
      discoverWithProgress(input, (options) =>
        discoverSessions(path, { ...options, agentId, signal }),
      ).finally(() => reportProgress(ASKING)),
  });
  if (flags.json) writeJson(terminal, status);
  else {
    const { maxLineWidth: columns, palette } = terminal;
    terminal.say(formatProjectStatus(status, { columns, palette }));
  }
}
