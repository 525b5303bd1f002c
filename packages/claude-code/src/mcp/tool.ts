import type { LeftOut } from './fit-answer.ts';
import type { ObjectSchema } from './schema.ts';

export const MCP_TOOL_NAMES = [
  'openclaw_project_status',
  'openclaw_session_list',
  'openclaw_conversation_context',
  'openclaw_session_info',
  'openclaw_memory_search',
  'openclaw_send_message',
] as const;

export type McpToolName = (typeof MCP_TOOL_NAMES)[number];

export interface McpTool {
  readonly name: McpToolName;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema: ObjectSchema;
  /** False for a tool that does something in the world. */
  readonly isReadOnly: boolean;
  /** The input has been checked against its schema. What is thrown becomes a tool error. */
  run(input: ToolInput): Promise<ToolAnswer>;
}

export type ToolInput = Readonly<Record<string, unknown>>;

/** An answer within its bounds, as its schema has it. */
export interface ToolAnswer {
  readonly [field: string]: unknown;
  readonly leftOut: readonly LeftOut[];
}
