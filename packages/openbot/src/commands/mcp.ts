import { statSync } from 'node:fs';
import { serveMcp } from '@openbot/claude-code';
import { OpenBotError } from '@openbot/sessions';
import { resolveUserPath } from '@openbot/sessions/layout';
import { printable } from '@openbot/sessions/terminal-text';
import { type Command, type CommandInput, readName } from './command.ts';
import { readPackageVersion } from './package-version.ts';
import { readRepoPath, readState } from './place.ts';

/** Serves the tools of the MCP server on standard input and output, until that ends. */
export const mcp: Command = async (input) => {
  const { agentId, stateDir } = readState(input);
  const serving = await serveMcp({
    repoPath: readProject(input),
    agentId,
    stateDir,
    workspace: readWorkspace(input),
    // One that is empty would not confine the server, but open every conversation.
    sessionKey: readName(input, 'session', 'agent:main:main'),
    version: readPackageVersion(),
    onError: (error) => input.terminal.writeError(`${printable(error.message)}\n`),
  });
  if (input.isInteractive) {
    input.terminal.writeError(
      'Serving MCP on standard input and output, for a client to talk to. Ctrl-C ends it.\n',
    );
  }
  await serving.closed;
};

/** Claude Code names the project in the environment of the servers that it starts. */
function readProject(input: CommandInput): string {
  const { env, flags } = input;
  const named = env.CLAUDE_PROJECT_DIR;
  if (flags.repo !== undefined || named === undefined || named.trim() === '') return readRepoPath(input);
  return resolveUserPath(named, env);
}

function readWorkspace(input: CommandInput): string | undefined {
  const named = readName(input, 'workspace', '~/.openbot/workspace');
  if (named === undefined) return undefined;
  const path = resolveUserPath(named, input.env);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return path;
  throw new OpenBotError('USAGE', `--workspace names no folder: ${path}`, {
    hint: 'Leave it out for the one of the agent, or name one that is there',
  });
}
