import { boundText } from '../mcp-tools/answer.ts';
import type { McpTool } from '../mcp-tools/tool.ts';
import type { McpSdk } from './load-mcp-sdk.ts';

/** The result of a call in the protocol's form. */
interface ToolCallResult {
  content: { type: 'text'; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: true;
  /** The protocol has more fields, none of which we use. */
  [field: string]: unknown;
}

export type CallTool = (name: string, input: unknown) => Promise<ToolCallResult>;

const ERROR_LIMIT = 1000;

/** Calls a tool by its name. It never throws: every failure becomes an error result. */
export function makeToolCaller(tools: readonly McpTool[], { AjvJsonSchemaValidator }: McpSdk): CallTool {
  const validator = new AjvJsonSchemaValidator();
  const checks = new Map(
    tools.map((tool) => [
      tool.name as string,
      { tool, check: validator.getValidator<Record<string, unknown>>({ ...tool.inputSchema }) },
    ]),
  );
  return async (name, input) => {
    const known = checks.get(name);
    if (known === undefined) {
      const names = [...checks.keys()].join(', ');
      return refuse(`Unknown tool ${JSON.stringify(name.slice(0, 100))}. Known tools: ${names}.`);
    }
    try {
      const checked = known.check(input ?? {});
      if (!checked.valid) return refuse(describeFault(known.tool, checked.errorMessage));
      const answer = await known.tool.run(checked.data);
      return { content: [{ type: 'text', text: JSON.stringify(answer) }], structuredContent: { ...answer } };
    } catch (error) {
      return refuse(describeError(error));
    }
  };
}

function refuse(text: string): ToolCallResult {
  return { content: [{ type: 'text', text: boundText(text, ERROR_LIMIT) }], isError: true };
}

/** The validator calls the input `data`, and does not name unknown fields. */
function describeFault({ inputSchema }: McpTool, fault: string): string {
  const said = fault.replaceAll('data/', '').replace(/(?<=^|, )data must/g, 'the input must');
  const fields = Object.keys(inputSchema.properties);
  const takes = fields.length === 0 ? 'The tool takes no input' : `The tool takes: ${fields.join(', ')}`;
  return `INVALID_ARGUMENT: ${said}\nHint: ${takes}.`;
}

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, hint, syscall } = error as { code?: unknown; hint?: unknown; syscall?: unknown };
  // Messages of the system and the parser name paths and quote files, possibly of another agent.
  if (typeof syscall === 'string') return `${code}: the system call ${syscall} failed`;
  if (error instanceof SyntaxError) return 'A file could not be parsed';
  const named = typeof code === 'string' ? `${code}: ${error.message}` : error.message;
  return typeof hint === 'string' ? `${named}\nHint: ${hint}` : named;
}
