import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { isGiven } from '../mcp-tools/resolve-scope.ts';
import {
  CONVERSATION_TOOLS,
  listMcpToolNames,
  MCP_SERVER_NAME,
  type McpToolName,
} from '../mcp-tools/tool-names.ts';
import {
  CALL_TIMEOUT_MS,
  type McpServing,
  prepareServing,
  type ServeClient,
  type ServerOptions,
} from './serve-mcp.ts';

/** A server inside this process, as the Agent SDK takes it. */
export interface McpSdkServer {
  readonly type: 'sdk';
  readonly name: string;
  /** All that the Agent SDK asks of it; for each run once, and again when Claude Code reconnects. */
  readonly instance: { connect(transport: Transport): Promise<void> };
  /** In milliseconds: a call that takes longer has failed. By default Claude Code waits for as long as it takes. */
  readonly timeout: number;
}

export interface AttachedTools {
  /** For `mcpServers` of a run. Empty where there can be no tools. */
  readonly servers: Readonly<Record<string, McpSdkServer>>;
  /** Those that nobody has to be asked about, by the names that Claude Code gives them. */
  readonly allowed: readonly string[];
  /** Leaves the runs that are still connected. */
  close(): Promise<void>;
}

/**
 * The tools for a run that this process starts. Whatever keeps them from being there is told to `onError`, and the run goes
 * on without them: nothing is thrown.
 */
export async function attachTools(options: ServerOptions): Promise<AttachedTools> {
  const { onError } = options;
  let serve: ServeClient;
  try {
    // Before Claude Code is started: the Agent SDK gives a server a quarter of a second to be there for the first request.
    serve = await prepareServing(options);
  } catch (error) {
    onError?.(error as Error);
    return { servers: {}, allowed: [], close: async () => {} };
  }
  const servings = new Set<McpServing>();
  const connect = async (transport: Transport) => {
    const serving = await serve({ transport }).catch((error: Error) => {
      // The Agent SDK keeps it to itself.
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
    allowed: listMcpToolNames({ except: listAskedAbout(options) }),
    async close() {
      for (const serving of [...servings]) await serving.close();
    },
  };
}

/** Who started a run for no conversation gave it none to read: what was said in any is somebody's to allow. */
function listAskedAbout({ sendMessage, sessionKey }: ServerOptions): McpToolName[] {
  return [
    ...(isGiven(sessionKey) ? [] : CONVERSATION_TOOLS),
    ...(sendMessage === undefined ? (['openclaw_send_message'] as const) : []),
  ];
}
