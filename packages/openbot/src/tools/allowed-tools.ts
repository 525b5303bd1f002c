import type { SessionEntry } from '@openbot/sessions';
import type { ResolvedAgent } from '../config/agents.ts';
import { allowsCommand } from '../permissions/rules.ts';
import type { Tool } from './contract.ts';

/** What decides on the tools of a session that change something, in OpenClaw's words. All sessions may read. */
export interface UseRules {
  readonly entry: Pick<SessionEntry, 'execSecurity' | 'execAsk'>;
  readonly agent: Pick<ResolvedAgent, 'tools' | 'exec'>;
  /** A person can be asked. */
  readonly canAsk: boolean;
}

export type UseDecision =
  | { readonly do: 'run' }
  /** `on-miss`: unless a rule allows it. */
  | { readonly do: 'ask'; readonly how: 'on-miss' | 'always' }
  | { readonly do: 'refuse'; readonly reason: string };

/**
 * The tools that the configuration could allow in a session: what its model is told of. Neither the session's limits nor the
 * sender counts, so that the list is the same in each turn; `decideUse` refuses what is not allowed now.
 */
export function listTools(tools: readonly Tool[], agent: UseRules['agent']): Tool[] {
  return tools.filter(
    (tool) =>
      (agent.tools?.includes(tool.name) ?? true) && limitsOf(tool, { entry: {}, agent }).security !== 'deny',
  );
}

/** Whether a tool that changes something can be used at least once, with a question or without. */
export function mayBeUsed(tool: Tool, rules: UseRules): boolean {
  const { security, ask } = limitsOf(tool, rules);
  if (security === 'deny') return false;
  if (ask === 'always') return rules.canAsk;
  // Which command is allowed is known with the command.
  if (tool.commandOf !== undefined || isListed(tool, rules)) return true;
  return ask === 'on-miss' ? rules.canAsk : security === 'full';
}

/** Whether a tool can be used at least once without a question. */
export function isUsedUnasked(tool: Tool, rules: UseRules): boolean {
  const { ask } = limitsOf(tool, rules);
  return (
    mayBeUsed(tool, rules) &&
    (ask === 'off' || (ask === 'on-miss' && (tool.commandOf !== undefined || isListed(tool, rules))))
  );
}

/** What happens to one use of a tool that is listed. */
export function decideUse(tool: Tool, args: Readonly<Record<string, unknown>>, rules: UseRules): UseDecision {
  if (!tool.changes) return { do: 'run' };
  const { security, ask } = limitsOf(tool, rules);
  if (security === 'deny') return { do: 'refuse', reason: 'This session must not change anything.' };
  if (ask === 'always') return { do: 'ask', how: 'always' };
  if (tool.commandOf === undefined) {
    if (isListed(tool, rules)) return { do: 'run' };
    // Rules spare a person the question. Where no person can be asked, they do not open the tool.
    if (ask === 'on-miss') return { do: 'ask', how: rules.canAsk ? 'on-miss' : 'always' };
    if (security === 'full') return { do: 'run' };
    return {
      do: 'refuse',
      reason: `The tool ${tool.name} is not in the list of tools that this session may use.`,
    };
  }
  const command = tool.commandOf(args);
  const { allowlist = [] } = rules.agent.exec;
  if (security === 'full' || allowlist.some((pattern) => allowsCommand(pattern, command)))
    return { do: 'run' };
  if (ask === 'on-miss') return { do: 'ask', how: 'on-miss' };
  return { do: 'refuse', reason: 'This command is not in the list of commands that may be run.' };
}

const SECURITIES = ['deny', 'allowlist', 'full'] as const;
const ASKS = ['always', 'on-miss', 'off'] as const;

/**
 * Tools that run commands are allowed by the configuration, and a session can only narrow that. The others are allowed
 * unless the session says otherwise. A word that is not known is the strictest.
 */
function limitsOf(
  { commandOf }: Tool,
  { entry, agent }: Pick<UseRules, 'entry' | 'agent'>,
): { security: (typeof SECURITIES)[number]; ask: (typeof ASKS)[number] } {
  const { execSecurity = 'full', execAsk = 'off' } = entry;
  if (commandOf === undefined)
    return { security: strictest(SECURITIES, execSecurity), ask: strictest(ASKS, execAsk) };
  const { host = 'auto', security = 'deny', ask = 'on-miss' } = agent.exec;
  // A sandbox or another machine was asked for, and there is none.
  const isHere = host === 'auto' || host === 'gateway';
  return {
    security: strictest(SECURITIES, execSecurity, isHere ? security : 'deny'),
    ask: strictest(ASKS, execAsk, ask),
  };
}

/** What a session passes on to one that it starts: the strictest limits of its own and of those above it. */
export function inheritLimits(entries: readonly UseRules['entry'][]): UseRules['entry'] {
  const securities = entries.flatMap(({ execSecurity }) => execSecurity ?? []);
  const asks = entries.flatMap(({ execAsk }) => execAsk ?? []);
  return {
    ...(securities.length > 0 && { execSecurity: strictest(SECURITIES, ...securities) }),
    ...(asks.length > 0 && { execAsk: strictest(ASKS, ...asks) }),
  };
}

function strictest<T extends string>(order: readonly T[], ...words: readonly string[]): T {
  return order[Math.min(...words.map((word) => Math.max(0, order.indexOf(word as T))))]!;
}

function isListed({ name }: Tool, { agent }: UseRules): boolean {
  return agent.tools?.includes(name) ?? false;
}
