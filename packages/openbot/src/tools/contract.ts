import { OpenBotError } from '@openbot/sessions';
import type { DeliveryTarget } from '../outbox/contract.ts';
import type { Permission, PermissionRequest } from '../permissions/contract.ts';

/** The part of JSON Schema that arguments of tools are described with. */
export interface ArgumentsSchema {
  readonly type: 'object';
  readonly properties: Readonly<
    Record<
      string,
      {
        readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object';
        readonly description: string;
        readonly minimum?: number;
        readonly enum?: readonly string[];
        /** Of an array. */
        readonly items?: { readonly type: 'string' };
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
  /** The folder that an absolute path can be read in, though none of the others: that of a file of a message. */
  folderOf?(path: string): string | undefined;
  /**
   * Why a rule forbids to show what is in a file: for tools that do so beside the one that reads.
   * @param realPaths by paths as they are named, for a tool that asks about many files. What is found is added.
   */
  findReadDenial?(path: string, realPaths?: Map<string, string>): string | undefined;
  readonly signal: AbortSignal;
  /** The model's name for this call. */
  readonly callId: string;
}

/** What a tool sent to a person by itself; the reply is not sent a second time. */
export interface SentByTool {
  readonly text: string;
  readonly mediaUrls?: readonly string[];
}

export interface ToolResult {
  readonly text: string;
  readonly isError: boolean;
  readonly sent?: SentByTool;
}

/** What a model can do. */
export interface Tool {
  readonly name: string;
  /** For the model. */
  readonly description: string;
  readonly parameters: ArgumentsSchema;
  /** It can change something. Such tools are refused to sessions that may only read. */
  readonly changes: boolean;
  /** Of a tool that runs commands of the model: which one. What a session may execute is decided by it. */
  commandOf?(args: Readonly<Record<string, unknown>>): string;
  /** Called with arguments that fit `parameters`. May throw: `RunTools.run` makes a result of it. */
  run(
    args: Readonly<Record<string, unknown>>,
    context: ToolContext,
  ): Promise<string | { readonly text: string; readonly sent?: SentByTool }>;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: unknown;
}

/** The conversation that tools work for. */
export interface ToolSession {
  readonly agentId: string;
  readonly sessionKey: string;
  readonly sessionId: string;
  readonly turnId: string;
  /** Where the person is who is answered. */
  readonly requester: DeliveryTarget;
  /** Several people read what is said here. */
  readonly isShared: boolean;
  readonly model: { readonly provider: string; readonly model: string; readonly contextWindow?: number };
  /** Keys of the sessions that the message came through, where another session of the agent wrote it. */
  readonly chain: readonly string[];
  /** Asks about what a program that a tool starts wants to do: rules, then the person. */
  permit(request: PermissionRequest, signal: AbortSignal): Promise<Permission>;
  /** Why a rule forbids what such a program does in a folder, also what the program allows by itself. */
  findDenial(
    use: Pick<PermissionRequest, 'toolName' | 'arguments'>,
    folder: string,
  ): Promise<string | undefined>;
  /** Why a rule forbids to show what is in a file. */
  findReadDenial(path: string): string | undefined;
  /** Rules in Claude Code's syntax for the files that such a program must leave out when it searches. */
  readonly unreadable: readonly string[];
}

/** What a tool is to a model. */
export type DeclaredTool = Pick<Tool, 'name' | 'description' | 'parameters' | 'changes'>;

/** The tools of one run. */
export interface RunTools {
  /** What the model is told of. */
  readonly list: readonly DeclaredTool[];
  /** Runs one call of a model. Never throws: every failure is a result that the model reads. */
  run(call: ToolCall, signal: AbortSignal): Promise<ToolResult>;
}

/** For a tool that the model was told of and that the configuration has no more. */
export function notAvailable(name: string): string {
  return `The tool ${name} is not available any more.`;
}

/** A failure that the model can act on; its message is the result. */
export function toolFailure(message: string): OpenBotError {
  return new OpenBotError('TOOL_FAILED', message);
}
