import type { McpOptions } from './mcp-options.ts';
import { PRECOMPUTED_VARIABLE, writePrecomputed } from './precomputed.ts';
import { MCP_TOOL_NAMES } from './tool.ts';

/** By which name the server is attached to runs. Claude Code calls its tools `mcp__openbot__<tool>`. */
export const MCP_SERVER_NAME = 'openbot';

export interface McpServerConfigOptions
  extends Pick<McpOptions, 'repoPath' | 'agentId' | 'stateDir' | 'workspace' | 'sessionKey' | 'precomputed'> {
  /** The file of the openbot command. */
  readonly bin: string;
  /** Default: the Node that runs this. */
  readonly node?: string | undefined;
  /** For Node itself, before the file. */
  readonly nodeArguments?: readonly string[] | undefined;
}

/** A server as MCP clients are configured with it. */
export interface McpStdioConfig {
  readonly type: 'stdio';
  readonly command: string;
  readonly args: string[];
  readonly env: Record<string, string>;
  /** Claude Code waits for the server and offers its tools at once; else a run must first search for them. */
  readonly alwaysLoad: true;
}

/** Attaches the server to a spawned run: `mcpServers: { [MCP_SERVER_NAME]: mcpServerConfigFor(…) }`. */
export function mcpServerConfigFor(options: McpServerConfigOptions): McpStdioConfig {
  const { repoPath, agentId, stateDir, workspace, sessionKey, precomputed } = options;
  const flags: [name: string, value: string | undefined][] = [
    ['--repo', repoPath],
    ['--agent', agentId],
    ['--state-dir', stateDir],
    ['--workspace', workspace],
    ['--session', sessionKey],
  ];
  // In one word each: a value that begins with a dash is not taken for a flag.
  const words = flags.flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]));
  return {
    type: 'stdio',
    command: options.node ?? process.execPath,
    args: [...(options.nodeArguments ?? []), options.bin, 'mcp', ...words],
    env: precomputed === undefined ? {} : { [PRECOMPUTED_VARIABLE]: writePrecomputed(precomputed, agentId) },
    alwaysLoad: true,
  };
}

/** The tools by the names that Claude Code gives them: those that only look, or all of them. */
export function listMcpToolNames(options: { readonly readOnly: boolean }): string[] {
  const names = MCP_TOOL_NAMES.filter((name) => !options.readOnly || name !== 'openclaw_send_message');
  return names.map((name) => `mcp__${MCP_SERVER_NAME}__${name}`);
}
