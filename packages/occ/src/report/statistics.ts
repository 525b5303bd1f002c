import { formatCount, formatQuantity, percentOf } from '@openbot/sessions/terminal-text';
import type { PlanTokens } from '../clean/plan.ts';
import type { CloneStatistics, EditStatistics } from '../operations/results.ts';
import { formatChange, formatSize } from './figures.ts';

/** The figures that edits and clones share. */
interface CleanFigures {
  readonly messages: readonly [before: number, after: number];
  readonly sizes: readonly [before: number, after: number];
  readonly toolCalls: { total: number; removed: number; truncated: number; preserved: number };
  /** Shortened tool outputs in lines of people. */
  readonly outputs: number;
  /** Blocks of thinking that went because what they are bound to changed. */
  readonly thinking: number;
  readonly tokens: PlanTokens;
}

export function figuresOfEdit(statistics: EditStatistics, tokens: PlanTokens): CleanFigures {
  return {
    messages: [statistics.messagesOriginal, statistics.messagesAfter],
    sizes: [statistics.sizeOriginal, statistics.sizeAfter],
    toolCalls: toolCallsOf(statistics),
    outputs: statistics.toolOutputsTruncated ?? 0,
    thinking: statistics.thinkingUnbound ?? 0,
    tokens,
  };
}

export function figuresOfClone(statistics: CloneStatistics, tokens: PlanTokens): CleanFigures {
  return {
    messages: [statistics.messagesOriginal, statistics.messagesCloned],
    sizes: [statistics.sizeOriginal, statistics.sizeCloned],
    toolCalls: toolCallsOf(statistics),
    outputs: statistics.toolOutputsTruncated ?? 0,
    thinking: statistics.thinkingUnbound ?? 0,
    tokens,
  };
}

function toolCallsOf(statistics: EditStatistics | CloneStatistics): CleanFigures['toolCalls'] {
  return {
    total: statistics.toolCallsOriginal,
    removed: statistics.toolCallsRemoved,
    truncated: statistics.toolCallsTruncated,
    preserved: statistics.toolCallsPreserved,
  };
}

export function statisticsLines({
  messages,
  sizes,
  toolCalls,
  outputs,
  thinking,
  tokens,
}: CleanFigures): string[] {
  const { total, removed, truncated, preserved } = toolCalls;
  const calls =
    total === 0
      ? 'none'
      : `${formatCount(removed)} removed, ${formatCount(truncated)} truncated, ${formatCount(preserved)} preserved`;
  return [
    `  Messages: ${formatChange(...messages, formatCount)}`,
    `  Tool calls: ${calls}`,
    ...(outputs === 0 ? [] : [`  Output in messages: ${formatCount(outputs)} truncated`]),
    ...(thinking === 0 ? [] : [`  Thinking: ${describeThinking(thinking)}`]),
    `  Context: ${formatTokenChange(tokens)}`,
    `  Size: ${formatSizeChange(...sizes)}`,
  ];
}

/** @param truncateOver the size above which calls were shortened in recent turns too */
export function verboseStatisticsLines(
  { messages, sizes, toolCalls, outputs, thinking, tokens }: CleanFigures,
  truncateOver: number | undefined,
): string[] {
  const { total, removed, truncated, preserved } = toolCalls;
  return [
    'Statistics:',
    `  Messages:     ${formatChange(...messages, formatCount)}`,
    `  Tool calls:   ${formatCount(total)} total`,
    `                ${formatCount(removed)} removed (oldest turns)`,
    `                ${formatCount(truncated)} truncated (middle turns${truncateOver === undefined ? '' : ', large calls'})`,
    `                ${formatCount(preserved)} preserved (recent turns)`,
    ...(outputs === 0
      ? []
      : [
          `  Output:       ${formatCount(outputs)} truncated (commands, background agents, files in messages)`,
        ]),
    ...(thinking === 0 ? [] : [`  Thinking:     ${describeThinking(thinking)}`]),
    `  Context:      ${formatTokenChange(tokens)}`,
    `  Size:         ${formatSizeChange(...sizes)}`,
  ];
}

function describeThinking(blocks: number): string {
  return `${formatQuantity(blocks, 'block')} removed (bound to what comes before, which changes)`;
}

/** `184,000 → 61,200 tokens (67% less, calibrated)` */
function formatTokenChange({ before, after, basis }: PlanTokens): string {
  if (before === after) return `${formatCount(before)} tokens (unchanged, ${basis})`;
  const change = after < before ? `${percentOf(before - after, before)}% less` : 'more';
  return `${formatCount(before)} → ${formatCount(after)} tokens (${change}, ${basis})`;
}

/** Only a clone can be larger: it names its source. */
function formatSizeChange(before: number, after: number): string {
  if (after <= before) return formatChange(before, after, formatSize);
  return `${formatSize(before)} → ${formatSize(after)} (it names its source)`;
}
