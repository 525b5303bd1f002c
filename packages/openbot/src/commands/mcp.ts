import { printable, readPrecomputed, serveMcp } from '@openbot/claude-code';
import { resolveUserPath } from '@openbot/sessions';
import { type Command, readText } from './command.ts';
import { readPackageVersion } from './package-version.ts';
import { readPlace } from './place.ts';

/** Serves the tools of the MCP server on standard input and output, until that ends. */
export const mcp: Command = async (input) => {
  const { env, cwd } = input;
  const { agentId, stateDir } = readPlace(input);
  // Claude Code names the project in the environment of the servers that it starts.
  const repo = [readText(input, 'repo'), env.CLAUDE_PROJECT_DIR].find(
    (path) => path !== undefined && path !== '',
  );
  const serving = await serveMcp({
    repoPath: repo === undefined ? cwd : resolveUserPath(repo, env),
    agentId,
    stateDir,
    workspace: readText(input, 'workspace'),
    sessionKey: readText(input, 'session'),
    precomputed: readPrecomputed(env),
    version: readPackageVersion(),
    onError: (error) => input.terminal.writeError(`${printable(error.message)}\n`),
  });
  await serving.closed;
};
