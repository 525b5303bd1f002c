import { normalizeAgentId } from '@openbot/sessions';
import { isValidAgentId } from '@openbot/sessions/key';
import { oneLine } from '@openbot/sessions/terminal-text';

/** One Claude Code session of a repository. */
export interface DiscoveredSession {
  readonly sessionId: string;
  /** `openclaw`: an agent runs or ran it. `native-only`: a person or another program started it. */
  readonly source: 'openclaw' | 'native-only';
  /** The agent that it belongs to, by the registry or by the marker in its first message. */
  readonly agentId?: string;
  /** The work tree that was asked for, or the main one if all repositories are listed; links are resolved. */
  readonly repoPath: string;
  /** Where it was started, which may be a worktree or a folder below. */
  readonly cwd: string;
  /** From its last line that names one; else empty. */
  readonly branch: string;
  /** The first text of a person, at most 200 characters, without secrets; else empty. */
  readonly firstMessage: string;
  readonly lastModified: Date;
  /** Whether a transcript exists. If not, everything here is from the registry. */
  readonly hasTranscript: boolean;
  /** Distinct messages of people and of the assistant. */
  readonly messageCount: number;
  readonly lineCount: number;
  readonly fileSizeBytes: number;
  /** From the registry. */
  readonly totalCostUsd?: number;
  readonly totalTurns?: number;
  /** Without secrets, as the label is. */
  readonly lastTask?: string;
  readonly label?: string;
  /** What Claude Code's own list calls it: by `/rename`, else by a model. At most 200 characters, without secrets. */
  readonly title?: string;
  /** The three words that Claude Code names a session by. */
  readonly slug?: string;
  /** A run of an agent is working in it. */
  readonly isRunning: boolean;
  /** A Claude Code has it open, such as a person's in a terminal. Resuming it meanwhile loses turns. */
  readonly isOpen: boolean;
  /** The agent that the marker in the first message names. */
  readonly originMarker?: string;
  /** Without tokens from the cache. Counted once for each message. */
  readonly totalInputTokens: number;
  /** Read from the cache or written to it. */
  readonly totalCacheTokens: number;
  readonly totalOutputTokens: number;
  readonly compactionCount: number;
  /** Its cost as a fraction of its budget, if both are known. */
  readonly budgetUsedPct?: number;
  /** The session that it was forked from. */
  readonly forkedFrom?: string;
}

/**
 * Whether a session belongs to an agent: by the registry, or without an entry there by the marker in its first message.
 */
export function isOwnedBy({ agentId, originMarker }: DiscoveredSession, asking: string): boolean {
  const owner = agentId ?? originMarker;
  if (owner === asking) return true;
  // Any user can type a marker: one that is no valid agent id must not become one.
  return isValidAgentId(owner) && normalizeAgentId(owner) === normalizeAgentId(asking);
}

/** Newest first. Sessions of equal age are ordered by id, so that the input order does not matter. */
export function compareByRecency(one: DiscoveredSession, other: DiscoveredSession): number {
  const difference = timeOf(other) - timeOf(one);
  if (difference !== 0) return difference;
  return one.sessionId < other.sessionId ? -1 : one.sessionId > other.sessionId ? 1 : 0;
}

/** An invalid date is older than any. */
function timeOf(session: DiscoveredSession): number {
  const time = session.lastModified.getTime();
  return Number.isNaN(time) ? -8.64e15 : time;
}

/** Enough of a session id for a person. */
export function shortId(sessionId: string): string {
  return oneLine(sessionId.slice(0, 8));
}
