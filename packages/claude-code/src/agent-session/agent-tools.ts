import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { loadMcpSdk } from '../mcp-server/load-mcp-sdk.ts';

/** A tool of the program that runs the agent. */
export interface AgentTool {
  readonly name: string;
  /** For the model. */
  readonly description: string;
  /** JSON Schema of an object. */
  readonly inputSchema: object;
  readonly isReadOnly: boolean;
}

export interface AgentCall {
  /** The model's name for the call. */
  readonly id: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

export interface AgentToolResult {
  readonly text: string;
  readonly isError: boolean;
}

/** The name of the server, and so a part of the names that the model reads: `mcp__openbot__read_file`. */
const SERVER_NAME = 'openbot';
const PREFIX = `mcp__${SERVER_NAME}__`;

/** The name without what Claude Code puts in front of the tools of the agent. Names of its own tools stay as they are. */
export function toolNameOf(claudeName: string): string {
  return claudeName.startsWith(PREFIX) ? claudeName.slice(PREFIX.length) : claudeName;
}

/** A rule of Claude Code that allows all tools of the agent. */
export const ALLOW_AGENT_TOOLS = `mcp__${SERVER_NAME}`;

/**
 * The tools as an MCP server inside this process, as the Agent SDK expects it.
 * @throws OpenBotError SDK_NOT_INSTALLED
 */
export async function serveAgentTools(
  tools: readonly AgentTool[],
  run: (call: AgentCall, signal: AbortSignal) => Promise<AgentToolResult>,
): Promise<Record<string, object>> {
  if (tools.length === 0) return {};
  const { Server, ListToolsRequestSchema, CallToolRequestSchema } = await loadMcpSdk();
  const connect = async (transport: Transport) => {
    const server = new Server({ name: SERVER_NAME, version: '1' }, { capabilities: { tools: {} } });
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools.map(describe) }));
    server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
      const call = {
        id: String(params._meta?.['claudecode/toolUseId']),
        name: params.name,
        arguments: params.arguments ?? {},
      };
      const { text, isError } = await run(call, signal);
      return { content: [{ type: 'text', text }], isError };
    });
    await server.connect(transport);
  };
  // Offered at once: a model would otherwise have to search for its tools.
  return { [SERVER_NAME]: { type: 'sdk', name: SERVER_NAME, instance: { connect }, alwaysLoad: true } };
}

function describe({ name, description, inputSchema, isReadOnly }: AgentTool) {
  return {
    name,
    description,
    inputSchema: { ...inputSchema, type: 'object' as const },
    annotations: { readOnlyHint: isReadOnly },
  };
}
