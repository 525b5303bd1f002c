import { OpenBotError } from '@openbot/sessions';

/** The part of JSON Schema that arguments of tools are described with. */
export interface ArgumentsSchema {
  readonly type: 'object';
  readonly properties: Readonly<
    Record<
      string,
      {
        readonly type: 'string' | 'integer' | 'boolean';
        readonly description: string;
        readonly minimum?: number;
      }
    >
  >;
  readonly required: readonly string[];
}

export interface ToolContext {
  /** Nothing outside of it is changed. */
  readonly workspaceDir: string;
  /** Absolute. What is in them can be read by its absolute path: the skills of the agent. */
  readonly readableDirs?: readonly string[];
  readonly signal: AbortSignal;
}

export interface ToolResult {
  readonly text: string;
  readonly isError: boolean;
}

/** What a model can do. */
export interface Tool {
  readonly name: string;
  /** For the model. */
  readonly description: string;
  readonly parameters: ArgumentsSchema;
  /** It can change something. Such tools are refused to sessions that may only read. */
  readonly changes: boolean;
  /** Called with arguments that fit `parameters`. May throw: `runTool` makes a result of it. */
  run(args: Readonly<Record<string, unknown>>, context: ToolContext): Promise<string>;
}

/** A failure that the model can act on; its message is the result. */
export function toolFailure(message: string): OpenBotError {
  return new OpenBotError('TOOL_FAILED', message);
}
