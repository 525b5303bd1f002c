import type { AgentSessionRequest } from '@openbot/claude-code';
import { type DeclaredTool, notAvailable } from '../../tools/contract.ts';
import type { OwnSettings } from '../contract.ts';

/** Names that Claude Code still takes for tools that it has renamed. Read off version 2.1.325. */
const RENAMED: Readonly<Record<string, string>> = {
  Brief: 'SendUserMessage',
  KillBash: 'TaskStop',
  KillShell: 'TaskStop',
  ListMcpResources: 'ListMcpResourcesTool',
  ListPeers: 'ListAgents',
  ReadMcpResource: 'ReadMcpResourceTool',
  ReadMcpResourceDir: 'ReadMcpResourceDirTool',
  Task: 'Agent',
};
/** They bring tools that Claude Code has put off, and do nothing themselves. */
const LOADERS: ReadonlySet<string> = new Set(['ToolSearch', 'WaitForMcpServers']);

export interface ToolsOfClaude {
  /** The agent's own, which are refused elsewhere. */
  readonly ours: readonly Pick<DeclaredTool, 'name'>[];
  /** Those of Claude Code that the model was told of. */
  readonly told: OwnSettings['tools'];
  /** Those of the configuration. */
  readonly offered: OwnSettings['tools'];
}

/** Why one of Claude Code's own tools is refused: the configuration has it no more. */
export function findGone(name: string, { ours, told, offered }: ToolsOfClaude): string | undefined {
  if (offered === 'all' || LOADERS.has(name) || String(told) === String(offered)) return undefined;
  const isThere = [...offered, ...ours.map((tool) => tool.name)].some(
    (one) => presentName(one) === presentName(name),
  );
  return isThere ? undefined : notAvailable(name);
}

/** The agent's tools in the words of Claude Code. */
export function declareTools(tools: readonly DeclaredTool[]): AgentSessionRequest['tools'] {
  return tools.map(({ name, description, parameters, changes }) => ({
    name,
    description,
    inputSchema: parameters,
    isReadOnly: !changes,
  }));
}

function presentName(name: string): string {
  return RENAMED[name] ?? name;
}
