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

/** The tools by the names that Claude Code gives them: those that only look, or all of them. */
export function listMcpToolNames(options: { readonly readOnly: boolean }): string[] {
  const names = MCP_TOOL_NAMES.filter((name) => !options.readOnly || name !== 'openclaw_send_message');
  return names.map((name) => `mcp__${MCP_SERVER_NAME}__${name}`);
}
