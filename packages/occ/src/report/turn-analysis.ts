import { formatCount, formatQuantity, printable } from '@openbot/sessions/terminal-text';
import type { PlanStatistics } from '../clean/plan.ts';
import type { ResolvedToolRemovalOptions } from '../clean/tool-removal.ts';

/** In which turns with tools the calls were removed, shortened and kept, numbered from the oldest. */
export function turnAnalysisLines(plan: PlanStatistics): string[] {
  const removed = plan.turnsWithToolsRemoved;
  const truncated = plan.turnsWithToolsTruncated;
  const preserved = plan.turnsWithToolsPreserved;
  return [
    'Turn Analysis:',
    `  Total turns: ${formatCount(plan.turnsTotal)} (all are kept)`,
    `  Turns with tools: ${formatCount(plan.turnsWithToolsTotal)}, numbered from the oldest`,
    `    Tool calls removed in: ${formatRange(removed, 1)}`,
    `    Tool calls truncated in: ${formatRange(truncated, removed + 1)}`,
    `    Tool calls preserved in: ${formatRange(preserved, removed + truncated + 1)}`,
  ];
}

function formatRange(count: number, first: number): string {
  if (count === 0) return 'none';
  return count === 1 ? `1 turn (${first})` : `${formatCount(count)} turns (${first}-${first + count - 1})`;
}

/** The rules that were applied, in words. */
export function describeRemoval(options: ResolvedToolRemovalOptions, presetName: string | undefined): string {
  const kept = options.keepTurnsWithTools;
  const rule =
    kept === 0
      ? 'remove all tool calls'
      : `keep the newest ${formatQuantity(kept, 'turn')} with tools, ${describeShare(options)}${describeLimit(options)}`;
  return presetName === undefined ? rule : `${printable(presetName)} (${rule})`;
}

function describeLimit({ truncateOver: over }: ResolvedToolRemovalOptions): string {
  return over === undefined ? '' : `, and calls above ${formatCount(over)} characters`;
}

/** A share of less than one turn shortens none. */
function describeShare({
  keepTurnsWithTools: kept,
  truncatePercent: percent,
}: ResolvedToolRemovalOptions): string {
  if (Math.floor((kept * percent) / 100) === 0) return 'truncate nothing';
  if (percent === 100) return `truncate ${kept === 1 ? 'it' : 'all of them'}`;
  return `truncate the oldest ${percent}% of them`;
}
