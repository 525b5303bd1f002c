import { OpenBotError } from '@openbot/sessions';
import type { Permission } from '../permissions/contract.ts';
import {
  type ArgumentsSchema,
  type RunTools,
  type Tool,
  type ToolCall,
  type ToolContext,
  type ToolResult,
  toolFailure,
} from './contract.ts';

/** Asked before each use of a tool, with arguments that fit. */
export type PermitUse = (
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
  context: ToolContext,
) => Promise<Permission>;

/**
 * @param allowed names of the tools that may be used; all when absent
 * @param permit every use is permitted when absent
 */
export function openRunTools(
  tools: readonly Tool[],
  places: Pick<ToolContext, 'workspaceDir' | 'readableDirs' | 'folderOf' | 'findReadDenial'>,
  allowed?: readonly string[],
  permit?: PermitUse,
): RunTools {
  const list = tools.filter(({ name }) => allowed?.includes(name) ?? true);
  return {
    list,
    run: (call, signal) => runTool({ tools, list, permit }, call, { ...places, signal, callId: call.id }),
  };
}

async function runTool(
  { tools, list, permit }: { tools: readonly Tool[]; list: readonly Tool[]; permit?: PermitUse },
  call: ToolCall,
  context: ToolContext,
): Promise<ToolResult> {
  try {
    context.signal.throwIfAborted();
    const tool = list.find(({ name }) => name === call.name) ?? refuse(tools, list, call.name);
    const args = checkArguments(tool.parameters, call.arguments);
    const permission = await permit?.(tool, args, context);
    if (permission?.isAllowed === false) throw toolFailure(permission.reason);
    context.signal.throwIfAborted();
    const output = await tool.run(args, context);
    return { ...(typeof output === 'string' ? { text: output } : output), isError: false };
  } catch (error) {
    return { text: describeFailure(error, context), isError: true };
  }
}

function refuse(tools: readonly Tool[], list: readonly Tool[], wanted: string): never {
  const names = list.map(({ name }) => name);
  const others = names.length === 0 ? 'There are none.' : `There are: ${names.join(', ')}.`;
  throw toolFailure(
    tools.some(({ name }) => name === wanted)
      ? `The tool ${wanted} must not be used in this session. ${others}`
      : `There is no tool ${JSON.stringify(wanted)}. ${others}`,
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
  for (const [name, schema] of Object.entries(properties)) {
    const value = given[name];
    if (value === undefined) continue;
    if (!isOfType(value, schema)) throw toolFailure(`The argument ${name} must be ${nameType(schema)}.`);
    const { minimum, enum: choices } = schema;
    if (minimum !== undefined && (value as number) < minimum)
      throw toolFailure(`The argument ${name} must be at least ${minimum}.`);
    if (choices !== undefined && !choices.includes(value as string))
      throw toolFailure(`The argument ${name} must be one of ${choices.join(', ')}.`);
    checked[name] = value;
  }
  return checked;
}

type ArgumentSchema = ArgumentsSchema['properties'][string];

function isOfType(value: unknown, { type, items }: ArgumentSchema): boolean {
  if (type === 'integer') return Number.isSafeInteger(value);
  if (type === 'array')
    return Array.isArray(value) && (items === undefined || value.every((one) => typeof one === items.type));
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  return typeof value === type;
}

function nameType({ type, items }: ArgumentSchema): string {
  return type === 'array' && items !== undefined ? `a list of type ${items.type}` : `of type ${type}`;
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
