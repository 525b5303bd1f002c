import { normalizeAgentId } from '@openbot/sessions';
import { isValidAgentId } from '@openbot/sessions/key';
import { resolveClaudeTitle } from '@openbot/sessions/lines';
import { isRunning } from '../registry/is-running.ts';
import type { RegisteredSession } from '../registry/registered-session.ts';
import { readTitle } from '../scan/first-message.ts';
import { hideSecrets } from '../scan/hide-secrets.ts';
import type { DiscoveredSession } from './discovered-session.ts';
import type { ScannedSession } from './scan-folders.ts';

/** As long as a registry keeps them; an older one kept them with their secrets. */
const TASK_LIMIT = 2000;
const LABEL_LIMIT = 200;

export interface SessionFacts {
  /** Somebody has its lock. */
  readonly isLocked?: boolean;
  /** A Claude Code says that it has it open. */
  readonly isOpen?: boolean;
  /** The session of ours that somebody else forked it from. Its marker came with what was copied, and makes it nobody's. */
  readonly forkOf?: string;
}

/** What the transcript and the registry know of one session; at least one of them knows it. */
export function describeSession(
  repoPath: string,
  scanned: ScannedSession | undefined,
  registered: RegisteredSession | undefined,
  { isLocked = false, isOpen = false, forkOf }: SessionFacts = {},
): DiscoveredSession {
  const header = scanned?.header;
  const title = (scanned && readTitle(resolveClaudeTitle(scanned.header, scanned.path) ?? '')) || undefined;
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

/** Anybody can type a marker: one that names no possible agent stays a marker. */
function agentOfMarker(marker: string | undefined): string | undefined {
  return isValidAgentId(marker) ? normalizeAgentId(marker) : undefined;
}

/** When it was last used, as far as the registry knows. */
export function lastTimeOf({ startedAt, endedAt }: RegisteredSession): number {
  return Date.parse(endedAt ?? startedAt);
}
