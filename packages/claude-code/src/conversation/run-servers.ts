import { redactSecrets } from '@openbot/sessions';
import { type AttachedTools, attachTools } from '../mcp/attach-tools.ts';
import { MCP_SERVER_NAME } from '../mcp/tool-names.ts';
import type { ChosenSession } from '../run/choose-session.ts';
import type { RunPlace } from '../run-contract/run-scope.ts';
import type { McpServers, RunRequest } from '../run-contract/run-request.ts';
import { type ServerConfig, writeServerConfig } from './server-config.ts';

/** The servers that Claude Code gets in a run. */
export interface RunServers {
  /** Those inside this process. */
  readonly inProcess: McpServers;
  /** A file with the others, where there are any. */
  readonly configPath: string | undefined;
  /** Tools of theirs that nobody is asked about. */
  readonly allowed: readonly string[];
  close(): Promise<void>;
}

/**
 * Those of the request, and the tools of the agent, which know what was found out before.
 * @throws OpenBotError CLAUDE_NOT_STARTED, and whatever `mcpServers` throws
 */
export async function openServers(
  request: Pick<RunRequest, 'agentTools' | 'mcpServers'>,
  chosen: ChosenSession,
  place: RunPlace,
  warn: (message: string) => void,
): Promise<RunServers> {
  const given = await listGiven(request, chosen, place);
  const isInProcess = ([, { type }]: [string, McpServers[string]]) => type === 'sdk';
  const all = Object.entries(given);
  const outside = all.filter((server) => !isInProcess(server));
  const config: ServerConfig | undefined =
    outside.length === 0 ? undefined : await writeServerConfig(Object.fromEntries(outside));
  // A server of that name is the caller's own decision, and so is what it may do unasked.
  const tools = MCP_SERVER_NAME in given ? undefined : await attach(request, chosen, place, warn);
  return {
    inProcess: { ...Object.fromEntries(all.filter(isInProcess)), ...tools?.servers },
    configPath: config?.path,
    allowed: tools?.allowed ?? [],
    async close() {
      await config?.remove().catch((error: Error) => warn(error.message));
      await tools?.close();
    },
  };
}

async function listGiven(
  { mcpServers = {} }: Pick<RunRequest, 'mcpServers'>,
  { sessions, sessionId, action }: ChosenSession,
  { agentId, stateDir, repo }: RunPlace,
): Promise<McpServers> {
  if (typeof mcpServers !== 'function') return mcpServers;
  const context = { sessionId, action, agentId, stateDir, repoPath: repo.path };
  return mcpServers({ ...context, sessions });
}

async function attach(
  { agentTools }: Pick<RunRequest, 'agentTools'>,
  { sessions, sessionId }: ChosenSession,
  { agentId, stateDir, repo, env }: RunPlace,
  warn: (message: string) => void,
): Promise<AttachedTools | undefined> {
  if (agentTools === false) return undefined;
  return attachTools({
    ...agentTools,
    agentId,
    stateDir,
    repoPath: repo.path,
    env: { ...env },
    runSessionId: sessionId,
    ...(sessions === undefined ? {} : { precomputed: { sessions } }),
    onError: (error) => warn(`The agent's tools: ${redactSecrets(error.message)}`),
  });
}
