/** The name of the server in a run. Claude Code calls its tools `mcp__openbot__<tool>`. */
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

/** The tools that read the agent's conversations. */
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

/** The part of JSON Schema that the tools need. */
export type Schema = Readonly<Record<string, unknown>>;

/** Inputs and answers of tools are always objects. */
export interface ObjectSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, Schema>>;
  readonly required?: string[];
  readonly additionalProperties: boolean;
  readonly [word: string]: unknown;
}

export const TEXT: Schema = { type: 'string' };
export const NUMBER: Schema = { type: 'number' };
export const COUNT: Schema = { type: 'integer', minimum: 0 };
export const YES_NO: Schema = { type: 'boolean' };
/** ISO 8601. */
export const TIME: Schema = { type: 'string', format: 'date-time' };

export function listOf(items: Schema): Schema {
  return { type: 'array', items };
}

/** @param optional fields that may be absent; all others are required */
export function objectOf(
  required: Readonly<Record<string, Schema>>,
  optional: Readonly<Record<string, Schema>> = {},
): ObjectSchema {
  return {
    type: 'object',
    properties: { ...required, ...optional },
    required: Object.keys(required),
    additionalProperties: false,
  };
}

export function describe(schema: Schema, description: string): Schema {
  return { ...schema, description };
}

/** Items that did not fit into an answer. */
export interface LeftOut {
  readonly what: string;
  readonly count: number;
}

export const LEFT_OUT_SCHEMA = describe(
  listOf(objectOf({ what: TEXT, count: COUNT })),
  'What was left out because the answer would be too large.',
);

export interface McpTool {
  readonly name: McpToolName;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema: ObjectSchema;
  /** False for a tool with an effect outside this process. */
  readonly isReadOnly: boolean;
  /** The input was checked against its schema. An exception becomes a tool error. */
  run(input: ToolInput): Promise<ToolAnswer>;
}

type ToolInput = Readonly<Record<string, unknown>>;

/** Matches the output schema, within the limits of size. */
export interface ToolAnswer {
  readonly [field: string]: unknown;
  readonly leftOut: readonly LeftOut[];
}
