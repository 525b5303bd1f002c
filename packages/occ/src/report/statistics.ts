import { formatCount, formatQuantity, percentOf } from '@openbot/sessions/terminal-text';
import type { PlanTokens } from '../clean/plan.ts';
import type { CloneStatistics, EditStatistics } from '../operations/results.ts';
import { formatChange, formatSize } from './figures.ts';

/** The figures that edits and clones share. */
interface CleanFigures {
  readonly messages: readonly [before: number, after: number];
  readonly sizes: readonly [before: number, after: number];
  readonly toolCalls: { total: number; removed: number; truncated: number; preserved: number };
  /** Removed results without a call. */
  readonly orphans: number;
  /** Shortened tool outputs in lines of people. */
  readonly outputs: number;
  readonly thinking: ThinkingFigures;
  readonly tokens: PlanTokens;
}

/** How many blocks of thinking went, and why. */
type ThinkingFigures = readonly (readonly [blocks: number, why: string])[];

export function figuresOfEdit(statistics: EditStatistics, tokens: PlanTokens, stale?: number): CleanFigures {
  return {
    messages: [statistics.messagesOriginal, statistics.messagesAfter],
    sizes: [statistics.sizeOriginal, statistics.sizeAfter],
    toolCalls: toolCallsOf(statistics),
    orphans: statistics.orphanedResultsRemoved ?? 0,
    outputs: statistics.toolOutputsTruncated ?? 0,
    thinking: thinkingOf(statistics, stale),
    tokens,
  };
}

export function figuresOfClone(statistics: CloneStatistics, tokens: PlanTokens): CleanFigures {
  return {
    messages: [statistics.messagesOriginal, statistics.messagesCloned],
    sizes: [statistics.sizeOriginal, statistics.sizeCloned],
    toolCalls: toolCallsOf(statistics),
    orphans: statistics.orphanedResultsRemoved ?? 0,
    outputs: statistics.toolOutputsTruncated ?? 0,
    thinking: thinkingOf(statistics),
    tokens,
  };
}

/** @param stale how many blocks an earlier rewrite had left; where nothing else is cleaned, nothing changes before them now */
function thinkingOf(statistics: EditStatistics | CloneStatistics, stale = 0): ThinkingFigures {
  const { thinkingRemoved = 0, thinkingUnbound: unbound = 0 } = statistics;
  const { toolCallsRemoved, toolCallsTruncated, toolOutputsTruncated = 0 } = statistics;
  const { orphanedResultsRemoved = 0 } = statistics;
  const cleaned = toolCallsRemoved + toolCallsTruncated + orphanedResultsRemoved + toolOutputsTruncated;
  const isRepair = stale > 0 && cleaned === 0;
  const known = isRepair ? Math.min(stale, unbound) : 0;
  return [
    [thinkingRemoved - unbound, 'with their calls'],
    [known, 'stale'],
    [unbound - known, isRepair ? 'made since' : 'bound to what comes before, which changes'],
  ];
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
  orphans,
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
    ...(orphans === 0 ? [] : [`  Results without a call: ${formatCount(orphans)} removed`]),
    ...(outputs === 0 ? [] : [`  Output in messages: ${formatCount(outputs)} truncated`]),
    ...describeThinking(thinking).map((text) => `  Thinking: ${text}`),
    `  Context: ${formatTokenChange(tokens)}`,
    `  Size: ${formatSizeChange(...sizes)}`,
  ];
}

/** @param truncateOver the size above which calls were shortened in recent turns too */
export function verboseStatisticsLines(
  { messages, sizes, toolCalls, orphans, outputs, thinking, tokens }: CleanFigures,
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
    ...(orphans === 0 ? [] : [`  Results without a call: ${formatCount(orphans)} removed`]),
    ...(outputs === 0
      ? []
      : [
          `  Output:       ${formatCount(outputs)} truncated (commands, background agents, files in messages)`,
        ]),
    ...describeThinking(thinking).map((text) => `  Thinking:     ${text}`),
    `  Context:      ${formatTokenChange(tokens)}`,
    `  Size:         ${formatSizeChange(...sizes)}`,
  ];
}

/** `12 blocks removed (8 with their calls, 4 bound to what comes before, which changes)` */
function describeThinking(thinking: ThinkingFigures): string[] {
  const parts = thinking.filter(([blocks]) => blocks > 0);
  if (parts.length === 0) return [];
  const total = parts.reduce((sum, [blocks]) => sum + blocks, 0);
  const reasons = parts.map(([blocks, why]) => (blocks === total ? why : `${formatCount(blocks)} ${why}`));
  return [`${formatQuantity(total, 'block')} removed (${reasons.join(', ')})`];
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
