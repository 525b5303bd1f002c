import { formatCount, formatQuantity, percentOf, printable } from '@openbot/sessions/terminal-text';
import { DEFAULT_PRESET_NAME } from '../clean/presets.ts';
import type { ResolvedToolRemovalOptions } from '../clean/tool-removal.ts';
import type { SessionInfo } from '../operations/results.ts';

/** A clean removes details and invalidates the prompt cache. It is worth it from this share on. */
const WORTH_IT_PERCENT = 25;
/** Below this nothing is recommended. */
const LITTLE_PERCENT = 10;
/** Up to this size the windows of common models have room, and details are worth more. */
const ROOMY_TOKENS = 50_000;

/** Unless the window is known, and more than this share of it is used. */
const FULL_PERCENT = 50;

export interface Recommendation {
  /** Undefined where no clean is recommended. */
  readonly preset?: string;
  /** Added to the preset: calls with more characters are shortened in all turns. */
  readonly truncateOver?: number;
  readonly reason: string;
}

/**
 * The gentlest preset that is worth it, else the rule by size where few turns hold large output, else the preset that
 * frees most, if that is more than a little. A preset that keeps no tool call, not even of the current work, is mentioned
 * but not recommended.
 */
export function recommendPreset(
  info: SessionInfo,
  rules: Readonly<Record<string, ResolvedToolRemovalOptions>>,
): Recommendation {
  const { tokens, turns, toolCalls, presets, window } = info;
  if (toolCalls.total === 0 && turns.withTools === 0) return { reason: 'there are no tool calls to clean' };
  if (tokens.context < ROOMY_TOKENS && (window === undefined || window.percent < FULL_PERCENT)) {
    const room =
      window === undefined ? 'leave room in most context windows' : `are ${window.percent}% of the window`;
    return { reason: `${formatCount(tokens.context)} tokens ${room}` };
  }
  const offers = Object.entries(presets)
    .map(([name, { tokensAfter }]) => {
      const freed = tokens.context - tokensAfter;
      const percent = percentOf(freed, tokens.context);
      return { name, freed, percent, keepsNone: rules[name]?.keepTurnsWithTools === 0 };
    })
    .sort((a, b) => a.freed - b.freed);
  const gentle = offers.filter(({ keepsNone }) => !keepsNone);
  const choice = gentle.find(({ percent }) => percent >= WORTH_IT_PERCENT) ?? gentle.at(-1);
  const bySize = recommendLimit(info, choice?.percent ?? 0);
  if (bySize !== undefined) return bySize;
  if (choice !== undefined && choice.percent >= LITTLE_PERCENT) {
    return {
      preset: choice.name,
      reason: `frees about ${formatCount(choice.freed)} tokens, ${choice.percent}% of the context`,
    };
  }
  const most = offers.at(-1);
  if (most === undefined || most.freed <= 0) return { reason: 'no preset would free anything' };
  if (most.percent < LITTLE_PERCENT) return { reason: `cleaning would free ${most.percent}% at most` };
  return {
    reason: `only ${printable(most.name)} would free much (${most.percent}%), by removing every tool call`,
  };
}

/** Presets count turns: where few turns hold large output, only a limit by size frees much. */
function recommendLimit(
  { tokens, presets, largeCalls }: SessionInfo,
  percentByTurns: number,
): Recommendation | undefined {
  const byTurns = presets[DEFAULT_PRESET_NAME];
  if (largeCalls === undefined || byTurns === undefined || percentByTurns >= WORTH_IT_PERCENT)
    return undefined;
  const freed = tokens.context - byTurns.tokensAfter + largeCalls.tokens;
  const percent = percentOf(freed, tokens.context);
  if (percent < LITTLE_PERCENT || percent <= percentByTurns) return undefined;
  return {
    preset: DEFAULT_PRESET_NAME,
    truncateOver: largeCalls.over,
    reason: `frees about ${formatCount(freed)} tokens, ${percent}% of the context: ${formatQuantity(largeCalls.calls, 'large call')} in the turns that stay`,
  };
}
