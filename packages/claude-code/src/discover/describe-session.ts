import { isValidAgentId, normalizeAgentId } from '@openbot/sessions';
import { isRunning } from '../registry/is-running.ts';
import type { RegisteredSession } from '../registry/registered-session.ts';
import type { DiscoveredSession } from './discovered-session.ts';
import type { ScannedSession } from './scan-folders.ts';

/** What the transcript and the registry know of one session; at least one of them knows it. */
export function describeSession(
  repoPath: string,
  scanned: ScannedSession | undefined,
  registered: RegisteredSession | undefined,
): DiscoveredSession {
  const header = scanned?.header;
  const agentId = registered?.agentId ?? agentOfMarker(header?.originMarker);
  return {
    sessionId: (scanned ?? registered)!.sessionId,
    source: registered === undefined ? 'native-only' : 'openclaw',
    ...(agentId === undefined ? {} : { agentId }),
    repoPath,
    cwd: header?.cwds[0] ?? registered?.repoPath ?? repoPath,
    branch: header?.gitBranch ?? '',
    firstMessage: header?.firstUserMessage ?? '',
    lastModified: new Date(scanned?.modifiedMs ?? lastTimeOf(registered!)),
    hasTranscript: scanned !== undefined,
    messageCount: header?.messageCount ?? 0,
    lineCount: header?.lineCount ?? 0,
    fileSizeBytes: scanned?.sizeBytes ?? 0,
    ...(registered === undefined ? {} : describeRegistered(registered)),
    ...(header?.slug === undefined ? {} : { slug: header.slug }),
    isRunning: registered !== undefined && isRunning(registered),
    ...(header?.originMarker === undefined ? {} : { originMarker: header.originMarker }),
    totalInputTokens: header?.totalInputTokens ?? 0,
    totalCacheTokens: header?.totalCacheTokens ?? 0,
    totalOutputTokens: header?.totalOutputTokens ?? 0,
    compactionCount: header?.compactionCount ?? 0,
    ...(header?.forkedFrom === undefined ? {} : { forkedFrom: header.forkedFrom }),
  };
}

function describeRegistered(registered: RegisteredSession) {
  const { totalCostUsd, turns, tasks, label, maxBudgetUsd } = registered;
  const lastTask = tasks.at(-1);
  return {
    totalCostUsd,
    totalTurns: turns,
    ...(lastTask === undefined ? {} : { lastTask }),
    ...(label === undefined ? {} : { label }),
    ...(maxBudgetUsd === undefined
      ? {}
      : { budgetUsedPct: maxBudgetUsd > 0 ? totalCostUsd / maxBudgetUsd : 1 }),
  };
}

/** Anybody can type a marker: one that names no possible agent stays a marker. */
function agentOfMarker(marker: string | undefined): string | undefined {
  return isValidAgentId(marker) ? normalizeAgentId(marker) : undefined;
}

/** When it was last used, as far as the registry knows. */
export function lastTimeOf({ startedAt, endedAt }: RegisteredSession): number {
  return Date.parse(endedAt ?? startedAt);
}
