import { discoverSessions, formatProjectStatus, gatherProjectStatus } from '@openbot/claude-code';
import { type Command, writeJson } from './command.ts';
import { discoverWithProgress } from './discover-with-progress.ts';
import { readAgentState, readRepoPath } from './input.ts';

/** Shows git, GitHub, documents and sessions of a repository. */
export const ccStatus: Command = async (input) => {
  const { env, flags, terminal } = input;
  const repoPath = readRepoPath(input);
  const { agentId } = readAgentState(input);
  const status = await gatherProjectStatus(repoPath, {
    agentId,
    env,
    discover: (path, signal) =>
      discoverWithProgress(input, (options) => discoverSessions(path, { ...options, agentId, signal })),
  });
  if (flags.json) writeJson(terminal, status);
  else {
    const { columns, palette } = terminal;
    terminal.write(formatProjectStatus(status, { columns, palette }));
  }
};
