import { attachTools } from '../mcp/attach-tools.ts';
import { MCP_SERVER_NAME } from '../mcp/tool-names.ts';
import type { ChosenSession } from './choose-session.ts';
import type { RunPlace } from './run-place.ts';
import type { McpServers, RunRequest } from './run-request.ts';

/** The servers that Claude Code gets in a run. */
export interface RunServers {
  readonly servers: McpServers;
  /** Tools of theirs that nobody is asked about. */
  readonly allowed: readonly string[];
  close(): Promise<void>;
}

/** Those of the request, and the tools of the agent, which know what was found out before. */
export async function openServers(
  { agentTools, mcpServers = {} }: Pick<RunRequest, 'agentTools' | 'mcpServers'>,
  { sessions, sessionId, action }: ChosenSession,
  { agentId, stateDir, repo, env }: RunPlace,
  warn: (message: string) => void,
): Promise<RunServers> {
  const context = { sessionId, action, agentId, stateDir, repoPath: repo.path };
  const given =
    typeof mcpServers === 'function'
      ? await mcpServers({ ...context, ...(sessions === undefined ? {} : { sessions }) })
      : mcpServers;
  // A server of that name is the caller's own decision, and so is what it may do unasked.
  if (agentTools === false || MCP_SERVER_NAME in given)
    return { servers: given, allowed: [], close: async () => {} };
  const { servers, allowed, close } = await attachTools({
    ...agentTools,
    agentId,
    stateDir,
    repoPath: repo.path,
    env: { ...env },
    runSessionId: sessionId,
    ...(sessions === undefined ? {} : { precomputed: { sessions } }),
    onError: (error) => warn(`The agent's tools: ${error.message}`),
  });
  return { servers: { ...given, ...servers }, allowed, close };
}
