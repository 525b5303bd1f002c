import { normalizeAgentId } from '@openbot/sessions';
import { isValidAgentId } from '@openbot/sessions/key';
import { resolveClaudeTitle, shortenWords } from '@openbot/sessions/lines';
import { isRunning } from '../registry/is-running.ts';
import type { RegisteredSession } from '../registry/registered-session.ts';
import { hideSecrets } from '../scan/hide-secrets.ts';
import type { DiscoveredSession } from './discovered-session.ts';
import type { ScannedSession } from './scan-folders.ts';

/** As long as a registry keeps them. Older registries contain them with their secrets. */
const TASK_LIMIT = 2000;
const LABEL_LIMIT = 200;

interface SessionFacts {
  /** A process holds its lock. */
  readonly isLocked?: boolean;
  /** A Claude Code reports that it has the session open. */
  readonly isOpen?: boolean;
  /**
   * The session of an agent that another program forked it from. The copy contains that agent's marker, but is not that
   * agent's.
   */
  readonly forkOf?: string;
}

/** Merges what the transcript and the registry contain of one session; at least one of them is given. */
export function describeSession(
  repoPath: string,
  scanned: ScannedSession | undefined,
  registered: RegisteredSession | undefined,
  { isLocked = false, isOpen = false, forkOf }: SessionFacts = {},
): DiscoveredSession {
  const header = scanned?.header;
  const title =
    (scanned && shortenWords(resolveClaudeTitle(scanned.header, scanned.path) ?? '')) || undefined;
  const marker = forkOf === undefined ? header?.originMarker : undefined;
  const forkedFrom = forkOf ?? header?.forkedFrom;
  const agentId = registered?.agentId ?? agentOfMarker(marker);
  return {
    sessionId: (scanned ?? registered)!.sessionId,
    source: registered === undefined ? 'native-only' : 'openclaw',
    agentId,
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
    title,
    ...(header?.slug === undefined ? {} : { slug: header.slug }),
    isRunning: isLocked || (registered !== undefined && isRunning(registered)),
    isOpen,
    originMarker: marker,
    totalInputTokens: header?.totalInputTokens ?? 0,
    totalCacheTokens: header?.totalCacheTokens ?? 0,
    totalOutputTokens: header?.totalOutputTokens ?? 0,
    compactionCount: header?.compactionCount ?? 0,
    forkedFrom,
  };
}

function describeRegistered(registered: RegisteredSession) {
  const { totalCostUsd, turns, tasks, label, maxBudgetUsd } = registered;
  const lastTask = tasks.at(-1);
  return {
    totalCostUsd,
    totalTurns: turns,
    ...(lastTask === undefined ? {} : { lastTask: hideSecrets(lastTask, TASK_LIMIT) }),
    ...(label === undefined ? {} : { label: hideSecrets(label, LABEL_LIMIT) }),
    ...(maxBudgetUsd === undefined
      ? {}
      : { budgetUsedPct: maxBudgetUsd > 0 ? totalCostUsd / maxBudgetUsd : 1 }),
  };
}

/** Any user can type a marker: one that is no valid agent id names no agent. */
function agentOfMarker(marker: string | undefined): string | undefined {
  return isValidAgentId(marker) ? normalizeAgentId(marker) : undefined;
}

/** When it was last used, by the registry. */
export function lastTimeOf({ startedAt, endedAt }: RegisteredSession): number {
  return Date.parse(endedAt ?? startedAt);
}
