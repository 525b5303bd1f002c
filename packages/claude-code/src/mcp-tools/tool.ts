import type { LeftOut } from './fit-answer.ts';
import type { ObjectSchema } from './schema.ts';
import type { McpToolName } from './tool-names.ts';

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
