import type { AgentSessionRequest } from '@openbot/claude-code';
import type { Environment } from '@openbot/sessions/layout';
import { reserveOf } from '../../config/compaction-reserve.ts';
import { canRun } from '../../runner-kinds.ts';
import type { ModelChoice } from '../contract.ts';

/** Names that Claude Code resolves to its newest models, and the ids of models; `[1m]` asks for the long window. */
const MODEL_NAME = /^(?:default|best|opusplan|sonnet|opus|haiku|(?:[\w-]+\.)*claude-[\w.:@-]+)(?:\[1m\])?$/i;

/** Undefined for a name that Claude Code has no model for. */
export function describeClaudeModel(provider: string, model: string): ModelChoice | undefined {
  if (!canRun('claude', provider) || !MODEL_NAME.test(model)) return undefined;
  return { provider, model, contextWindow: windowOf(model.toLowerCase()), seesImages: true };
}

/** The names that stay; ids of models come and go. */
export function listClaudeModels(): readonly { readonly provider: string; readonly model: string }[] {
  return ['sonnet', 'opus', 'haiku'].map((model) => ({ provider: 'claude', model }));
}

/** Tokens, as Claude Code 2.1.325 reports them. Undefined for models that it may know and this does not. */
function windowOf(model: string): number | undefined {
  if (model.endsWith('[1m]') || /^(?:sonnet|opus|haiku)$/.test(model)) return 1_000_000;
  const [, major] = /claude-(?:sonnet|opus|haiku)-(\d+)/.exec(model) ?? [];
  if (major !== undefined) return Number(major) < 5 ? 200_000 : 1_000_000;
  return /claude-3|claude-[\d.-]*(?:sonnet|opus|haiku)/.test(model) ? 200_000 : undefined;
}

/** Of the window that it is told Claude Code 2.1.325 keeps 20,000 tokens free for an answer and 13,000 for the summary. */
const KEPT_FOR_ANSWER = 20_000;
const KEPT_FREE = KEPT_FOR_ANSWER + 13_000;
const LEAST_WINDOW = 100_000;
const MOST_WINDOW = 1_000_000;

/** With more tokens than this Claude Code compacts by itself. Undefined where it decides alone. */
export function compactsAt(
  { contextWindow }: Pick<ModelChoice, 'contextWindow'>,
  reserveTokens: number | undefined,
  prefixTokens: number,
): number | undefined {
  if (contextWindow === undefined) return undefined;
  const window = Math.min(MOST_WINDOW, contextWindow);
  const wanted = window - reserveOf(window, reserveTokens, prefixTokens);
  return Math.min(wanted, Math.max(LEAST_WINDOW, window) - KEPT_FREE);
}

/** How Claude Code is told so: the smallest window that will do, and a share of it where that is too large. */
export function autocompactOf(
  tokens: number | undefined,
): { readonly window: number; readonly env: Environment } | undefined {
  if (tokens === undefined) return undefined;
  const window = Math.max(LEAST_WINDOW, tokens + KEPT_FREE);
  const percent = (tokens / (window - KEPT_FOR_ANSWER)) * 100;
  return {
    window,
    env: window - KEPT_FREE === tokens ? {} : { CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: `${percent}` },
  };
}

const EFFORTS: Readonly<Record<string, AgentSessionRequest['effort']>> = {
  off: 'none',
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'xhigh',
  max: 'max',
  ultra: 'max',
};

/** Undefined, also for `adaptive`, leaves it to the model. */
export function effortOf(thinkingLevel: string | undefined): AgentSessionRequest['effort'] {
  return thinkingLevel !== undefined && Object.hasOwn(EFFORTS, thinkingLevel)
    ? EFFORTS[thinkingLevel]
    : undefined;
}
