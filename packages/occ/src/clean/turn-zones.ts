import { hasTools, type Turn } from '@openbot/sessions/transcript';
import type { ToolAction } from './line-edit.ts';
import type { ResolvedToolRemovalOptions } from './tool-removal.ts';

/** The action for the tools of each turn. */
export interface TurnZones {
  /** By position in the path. */
  actionAt(position: number): ToolAction;
  readonly total: number;
  readonly withTools: number;
  readonly removed: number;
  readonly truncated: number;
  readonly preserved: number;
}

/**
 * Of the turns with tools the newest stay, and of those the oldest share is shortened, rounded down: in doubt a turn stays
 * whole. Both numbers depend on the turns that stay alone, so that cleaning again changes nothing.
 */
export function zoneTurns(
  turns: readonly Turn[],
  { keepTurnsWithTools, truncatePercent }: ResolvedToolRemovalOptions,
): TurnZones {
  const withTools = turns.filter(hasTools);
  const kept = Math.min(keepTurnsWithTools, withTools.length);
  const truncated = Math.floor((kept * truncatePercent) / 100);
  const removed = withTools.length - kept;
  const firstKept = withTools[removed]?.first ?? Number.POSITIVE_INFINITY;
  const firstWhole = withTools[removed + truncated]?.first ?? Number.POSITIVE_INFINITY;
  return {
    actionAt: (position) => (position < firstKept ? 'remove' : position < firstWhole ? 'truncate' : 'keep'),
    total: turns.length,
    withTools: withTools.length,
    removed,
    truncated,
    preserved: kept - truncated,
  };
}

/** Whether turns with tools would be touched when there is one more of them, as there may be at the end of a run. */
export function mayTouchLater(
  withTools: number,
  { keepTurnsWithTools, truncatePercent, truncateOver }: ResolvedToolRemovalOptions,
): boolean {
  if (truncateOver !== undefined) return true;
  const kept = Math.min(keepTurnsWithTools, withTools + 1);
  return withTools + 1 > kept || Math.floor((kept * truncatePercent) / 100) > 0;
}
