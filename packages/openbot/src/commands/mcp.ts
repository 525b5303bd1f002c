import { printable, serveMcp } from '@openbot/claude-code';
import { resolveUserPath } from '@openbot/sessions';
import { type Command, readText } from './command.ts';
import { readPackageVersion } from './package-version.ts';
import { readState } from './place.ts';

/** Serves the tools of the MCP server on standard input and output, until that ends. */
export const mcp: Command = async (input) => {
  const { env } = input;
  const { agentId, stateDir } = readState(input);
  // Claude Code names the project in the environment of the servers that it starts.
  const repo = [readText(input, 'repo'), env.CLAUDE_PROJECT_DIR].find(
    (path) => path !== undefined && path !== '',
  );
  const serving = await serveMcp({
    repoPath: repo === undefined ? input.cwd : resolveUserPath(repo, env),
    agentId,
    stateDir,
    workspace: readText(input, 'workspace'),
    sessionKey: readText(input, 'session'),
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
