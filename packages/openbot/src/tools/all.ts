import { OpenBotError } from '@openbot/sessions';
import {
  type ArgumentsSchema,
  type Tool,
  type ToolContext,
  type ToolResult,
  toolFailure,
} from './contract.ts';
import { listFiles } from './list-files.ts';
import { readFile } from './read-file.ts';
import { writeFile } from './write-file.ts';

export const TOOLS: readonly Tool[] = [listFiles, readFile, writeFile];

export interface ToolRequest {
  readonly name: string;
  readonly arguments: unknown;
  /** Names of the tools that may be used; all when absent. */
  readonly allowed?: readonly string[];
}

/** Runs one call of a model. Never throws: every failure is a result that the model reads. */
export async function runTool(request: ToolRequest, context: ToolContext): Promise<ToolResult> {
  try {
    context.signal.throwIfAborted();
    const tool = findTool(request);
    const text = await tool.run(checkArguments(tool.parameters, request.arguments), context);
    return { text, isError: false };
  } catch (error) {
    return { text: describeFailure(error, context), isError: true };
  }
}

function findTool({ name, allowed }: ToolRequest): Tool {
  const tool = TOOLS.find((tool) => tool.name === name);
  const isAllowed = allowed?.includes(name) ?? true;
  if (tool !== undefined && isAllowed) return tool;
  const usable = TOOLS.flatMap(({ name }) => (allowed?.includes(name) === false ? [] : [name]));
  const others = usable.length === 0 ? 'There are none.' : `There are: ${usable.join(', ')}.`;
  throw toolFailure(
    tool === undefined
      ? `There is no tool ${JSON.stringify(name)}. ${others}`
      : `The tool ${name} must not be used in this session. ${others}`,
  );
}

function checkArguments({ properties, required }: ArgumentsSchema, args: unknown): Record<string, unknown> {
  if (typeof args !== 'object' || args === null || Array.isArray(args))
    throw toolFailure('The arguments must be a JSON object.');
  const given = args as Record<string, unknown>;
  for (const name of required) {
    if (given[name] === undefined) throw toolFailure(`The argument ${name} is missing.`);
  }
  const checked: Record<string, unknown> = {};
  for (const [name, { type, minimum }] of Object.entries(properties)) {
    const value = given[name];
    if (value === undefined) continue;
    const fits = type === 'integer' ? Number.isSafeInteger(value) : typeof value === type;
    if (!fits) throw toolFailure(`The argument ${name} must be of type ${type}.`);
    if (minimum !== undefined && (value as number) < minimum)
      throw toolFailure(`The argument ${name} must be at least ${minimum}.`);
    checked[name] = value;
  }
  return checked;
}

const FAULTS: Readonly<Record<string, string>> = {
  ENOENT: 'There is no such file or folder.',
  ENOTDIR: 'A part of the path is not a folder.',
  EISDIR: 'This is a folder, not a file.',
  EACCES: 'Permission denied.',
  EPERM: 'Permission denied.',
  ENOSPC: 'The disk is full.',
  EROFS: 'The disk is read-only.',
  ELOOP: 'The path leads through too many symbolic links.',
  ENAMETOOLONG: 'The path is too long.',
};

/** System errors name absolute paths, which the model has no use for. */
function describeFailure(error: unknown, { signal }: ToolContext): string {
  if (error instanceof OpenBotError && error.code === 'TOOL_FAILED') return error.message;
  if (signal.aborted) return 'The run was aborted before this tool ran.';
  const { code, message } = error as NodeJS.ErrnoException;
  return FAULTS[code ?? ''] ?? `The tool failed: ${code ?? message}`;
}
