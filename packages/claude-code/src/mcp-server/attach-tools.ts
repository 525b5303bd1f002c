import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { isGiven } from '../mcp-tools/scope.ts';
import {
  CONVERSATION_TOOLS,
  listMcpToolNames,
  MCP_SERVER_NAME,
  type McpToolName,
} from '../mcp-tools/tool.ts';
import {
  CALL_TIMEOUT_MS,
  type McpServing,
  prepareServing,
  type ServeClient,
  type ServerOptions,
} from './serve-mcp.ts';

/** A server inside this process, in the form that the Agent SDK expects. */
interface McpSdkServer {
  readonly type: 'sdk';
  readonly name: string;
  /** The Agent SDK calls `connect` once for each run, and again when Claude Code reconnects. */
  readonly instance: { connect(transport: Transport): Promise<void> };
  /** Milliseconds after which a call fails. Claude Code has no limit of its own. */
  readonly timeout: number;
}

export interface AttachedTools {
  /** For `mcpServers` of a run. Empty if the tools cannot be served. */
  readonly servers: Readonly<Record<string, McpSdkServer>>;
  /** Tools that need no permission, by Claude Code's names for them. */
  readonly allowed: readonly string[];
  /** Disconnects the runs that are still connected. */
  close(): Promise<void>;
}

/**
 * The tools for a run that this process starts. It never throws: if the tools cannot be served, `onError` receives the
 * reason and the run continues without them.
 */
export async function attachTools(options: ServerOptions): Promise<AttachedTools> {
  const { onError } = options;
  let serve: ServeClient;
  try {
    // Before Claude Code starts, because the Agent SDK waits only 250 ms for a server.
    serve = await prepareServing(options);
  } catch (error) {
    onError?.(error as Error);
    return { servers: {}, allowed: [], close: async () => {} };
  }
  const servings = new Set<McpServing>();
  const connect = async (transport: Transport) => {
    const serving = await serve({ transport }).catch((error: Error) => {
      // The Agent SDK does not report it.
      onError?.(error);
      throw error;
    });
    servings.add(serving);
    void serving.closed.then(() => servings.delete(serving));
  };
  return {
    servers: {
      [MCP_SERVER_NAME]: {
        type: 'sdk',
        name: MCP_SERVER_NAME,
        instance: { connect },
        timeout: CALL_TIMEOUT_MS,
      },
    },
    allowed: listMcpToolNames({ except: listGuarded(options) }),
    async close() {
      for (const serving of [...servings]) await serving.close();
    },
  };
}

/** A run that was not started for a conversation needs a permission to read one. */
function listGuarded({ sendMessage, sessionKey }: ServerOptions): McpToolName[] {
  return [
    ...(isGiven(sessionKey) ? [] : CONVERSATION_TOOLS),
    ...(sendMessage === undefined ? (['openclaw_send_message'] as const) : []),
  ];
}
