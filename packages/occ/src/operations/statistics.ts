import type { PlanStatistics } from '../clean/plan.ts';
import type { CloneStatistics, EditStatistics } from './results.ts';

/** @param isKept nothing was changed in the end, whatever was planned */
export function editStatistics(
  plan: PlanStatistics,
  sizeOriginal: number,
  sizeAfter: number,
  isKept = false,
): EditStatistics {
  return {
    messagesOriginal: plan.messagesOriginal,
    messagesAfter: isKept ? plan.messagesOriginal : plan.messagesAfter,
    toolCallsOriginal: plan.toolCallsOriginal,
    toolCallsRemoved: isKept ? 0 : plan.toolCallsRemoved,
    toolCallsTruncated: isKept ? 0 : plan.toolCallsTruncated,
    toolCallsPreserved: isKept ? plan.toolCallsOriginal : plan.toolCallsPreserved,
    ...(isKept || plan.orphanedResultsRemoved === 0
      ? {}
      : { orphanedResultsRemoved: plan.orphanedResultsRemoved }),
    ...(isKept || plan.toolOutputsTruncated === 0 ? {} : { toolOutputsTruncated: plan.toolOutputsTruncated }),
    ...(isKept || plan.thinkingRemoved === 0 ? {} : { thinkingRemoved: plan.thinkingRemoved }),
    ...(isKept || plan.thinkingUnbound === 0 ? {} : { thinkingUnbound: plan.thinkingUnbound }),
    sizeOriginal,
    sizeAfter,
    reductionPercent: reductionPercent(sizeOriginal, sizeAfter),
  };
}

export function cloneStatistics(
  plan: PlanStatistics,
  sizeOriginal: number,
  sizeCloned: number,
): CloneStatistics {
  const { messagesAfter, sizeAfter: _, ...rest } = editStatistics(plan, sizeOriginal, sizeCloned);
  return {
    messagesOriginal: rest.messagesOriginal,
    messagesCloned: messagesAfter,
    toolCallsOriginal: rest.toolCallsOriginal,
    toolCallsRemoved: rest.toolCallsRemoved,
    toolCallsTruncated: rest.toolCallsTruncated,
    toolCallsPreserved: rest.toolCallsPreserved,
    orphanedResultsRemoved: rest.orphanedResultsRemoved,
    toolOutputsTruncated: rest.toolOutputsTruncated,
    thinkingRemoved: rest.thinkingRemoved,
    thinkingUnbound: rest.thinkingUnbound,
    sizeOriginal,
    sizeCloned,
    reductionPercent: rest.reductionPercent,
  };
}

function reductionPercent(before: number, after: number): number {
  return before <= 0 ? 0 : Math.round((1 - after / before) * 100);
}
