import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OpenBotError, redactSecrets } from '@openbot/sessions';
import type { Environment } from '@openbot/sessions/layout';
import { type AttachedTools, attachTools } from '../mcp-server/attach-tools.ts';
import { MCP_SERVER_NAME } from '../mcp-tools/tool.ts';
import type { McpServers, RunContext, RunRequest } from '../run-contract/run-request.ts';
import type { ClaudeServers } from './claude-options.ts';

/** The MCP servers of a run, until they are closed. */
export interface RunServers extends ClaudeServers {
  close(): Promise<void>;
}

interface ServersOptions {
  readonly context: RunContext;
  readonly env: Environment;
  readonly warn: (message: string) => void;
}

/** A file with the servers that Claude Code starts or connects to itself. */
interface ServerConfig {
  readonly path: string;
  remove(): Promise<void>;
}

/**
 * The servers of the request, and the tools of the agent.
 * @throws OpenBotError CLAUDE_NOT_STARTED, and any error of `mcpServers`
 */
export async function openServers(
  request: Pick<RunRequest, 'agentTools' | 'mcpServers'>,
  options: ServersOptions,
): Promise<RunServers> {
  const { mcpServers = {}, agentTools } = request;
  const given = typeof mcpServers === 'function' ? await mcpServers(options.context) : mcpServers;
  const isInProcess = ([, { type }]: [string, McpServers[string]]) => type === 'sdk';
  const all = Object.entries(given);
  const outside = all.filter((server) => !isInProcess(server));
  const config = outside.length === 0 ? undefined : await writeServerConfig(Object.fromEntries(outside));
  // If the caller brings a server of that name, the caller decides what it may do.
  const tools = MCP_SERVER_NAME in given ? undefined : await attach(agentTools, options);
  return {
    inProcess: { ...Object.fromEntries(all.filter(isInProcess)), ...tools?.servers },
    configPath: config?.path,
    allowed: tools?.allowed ?? [],
    async close() {
      await config?.remove().catch((error: Error) => options.warn(error.message));
      await tools?.close();
    },
  };
}

async function attach(
  agentTools: RunRequest['agentTools'],
  { context, env, warn }: ServersOptions,
): Promise<AttachedTools | undefined> {
  if (agentTools === false) return undefined;
  const { sessions, sessionId, agentId, stateDir, repoPath } = context;
  return attachTools({
    ...agentTools,
    agentId,
    stateDir,
    repoPath,
    env: { ...env },
    runSessionId: sessionId,
    precomputed: sessions && { sessions },
    onError: (error) => warn(`The agent's tools failed: ${redactSecrets(error.message)}`),
  });
}

/**
 * Only this user can read the file. A command line is visible to all users, and servers have keys in their headers and
 * environments.
 * @throws OpenBotError CLAUDE_NOT_STARTED if it cannot be written
 */
export async function writeServerConfig(mcpServers: McpServers): Promise<ServerConfig> {
  let folder: string | undefined;
  const remove = async () => {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  };
  try {
    folder = await mkdtemp(join(tmpdir(), 'openbot-mcp-'));
    const path = join(folder, 'servers.json');
    await writeFile(path, JSON.stringify({ mcpServers }), { mode: 0o600, flag: 'wx' });
    return { path, remove };
  } catch (cause) {
    await remove().catch(() => {});
    throw new OpenBotError('CLAUDE_NOT_STARTED', 'Cannot pass the MCP servers to Claude Code', {
      hint: `Their settings are passed in a file: check that ${tmpdir()} has free space and can be written to.`,
      cause,
    });
  }
}
