import { statSync } from 'node:fs';
import { serveMcp } from '@openbot/claude-code';
import { OpenBotError } from '@openbot/sessions';
import { type CommandInput, readPackageVersion } from '@openbot/sessions/command-line';
import { resolveUserPath } from '@openbot/sessions/layout';
import { printable } from '@openbot/sessions/terminal-text';
import { loadBotConfig } from '../../config/load-config.ts';
import { resolveIndexPath } from '../../index-db/index-path.ts';
import { makeNoteSearch } from '../../memory-search/search-notes.ts';
import { readAgentState, readRepoPath } from '../cc/input.ts';
import type { MCP_FLAGS } from './flags.ts';

/** Serves the MCP tools on standard input and output until the client closes them. */
export async function mcp(input: CommandInput<typeof MCP_FLAGS>): Promise<void> {
  const { agentId, stateDir } = readAgentState(input);
  const serving = await serveMcp({
    repoPath: readProject(input),
    agentId,
    stateDir,
    workspace: readWorkspace(input),
    // An empty key would open every conversation instead of confining the server to one.
    sessionKey: input.flags.session,
    searchNotes: await prepareSearch(input, stateDir),
    version: readPackageVersion(import.meta.url),
    onError: (error) => input.terminal.warn(`${printable(error.message)}\n`),
  });
  if (input.isInteractive) {
    input.terminal.warn('Serving MCP to a client on standard input and output. Ctrl-C ends it.\n');
  }
  await serving.closed;
}

/** Undefined where the configuration cannot be read: notes are then compared by words. */
async function prepareSearch(input: CommandInput<typeof MCP_FLAGS>, stateDir: string) {
  const report = (message: string) => input.terminal.warn(`${printable(message)}\n`);
  try {
    const { config } = await loadBotConfig(stateDir, input.env);
    return makeNoteSearch({
      indexPath: resolveIndexPath(stateDir, input.env),
      settings: config.index,
      report,
    });
  } catch (error) {
    report((error as Error).message);
    return undefined;
  }
}

/** Claude Code sets CLAUDE_PROJECT_DIR for the servers that it starts. */
function readProject(input: CommandInput<typeof MCP_FLAGS>): string {
  const { env, flags } = input;
  const named = env.CLAUDE_PROJECT_DIR;
  if (flags.repo !== undefined || named === undefined || named.trim() === '') return readRepoPath(input);
  return resolveUserPath(named, env);
}

function readWorkspace(input: CommandInput<typeof MCP_FLAGS>): string | undefined {
  const named = input.flags.workspace;
  if (named === undefined) return undefined;
  const path = resolveUserPath(named, input.env);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return path;
  throw new OpenBotError('USAGE', `--workspace is not a folder: ${path}`, {
    hint: "Omit it for the agent's own workspace, or name an existing folder",
  });
}
