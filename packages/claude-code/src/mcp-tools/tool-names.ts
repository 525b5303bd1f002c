/** By which name the server is attached to runs. Claude Code calls its tools `mcp__openbot__<tool>`. */
export const MCP_SERVER_NAME = 'openbot';

export const MCP_TOOL_NAMES = [
  'openclaw_project_status',
  'openclaw_session_list',
  'openclaw_conversation_context',
  'openclaw_session_info',
  'openclaw_memory_search',
  'openclaw_send_message',
] as const;

export type McpToolName = (typeof MCP_TOOL_NAMES)[number];

/** Those that tell of the agent's conversations. */
export const CONVERSATION_TOOLS = [
  'openclaw_conversation_context',
  'openclaw_session_info',
] as const satisfies readonly McpToolName[];

/** The tools by the names that Claude Code gives them. */
export function listMcpToolNames({
  except = [],
}: {
  readonly except?: readonly McpToolName[];
} = {}): string[] {
  const names = MCP_TOOL_NAMES.filter((name) => !except.includes(name));
  return names.map((name) => `mcp__${MCP_SERVER_NAME}__${name}`);
}
