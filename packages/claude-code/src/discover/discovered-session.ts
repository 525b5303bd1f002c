import { normalizeAgentId } from '@openbot/sessions';
import { isValidAgentId } from '@openbot/sessions/key';
import { oneLine } from '@openbot/sessions/terminal-text';

/** One Claude Code session of a repository, whoever started it. */
export interface DiscoveredSession {
  readonly sessionId: string;
  /** `openclaw`: one that an agent of ours runs or ran; the rest were started by a person or another program. */
  readonly source: 'openclaw' | 'native-only';
  /** Whose it is, by the registry or by the marker in its first message. */
  readonly agentId?: string;
  /** The repository: the work tree that was asked about, and where all are listed the main one; links are resolved. */
  readonly repoPath: string;
  /** Where it was started, which may be a worktree or a folder below. */
  readonly cwd: string;
  /** As its last line says; empty where none does. */
  readonly branch: string;
  /** What a person typed first, at most 200 characters, without secrets; empty where nobody did. */
  readonly firstMessage: string;
  readonly lastModified: Date;
  /** Whether there is a transcript to go on from. Without one, all that is known of it is from the registry. */
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
  /** A run of ours has it. */
  readonly isRunning: boolean;
  /** A Claude Code has it open now, such as a person's in a terminal: whoever resumes it meanwhile loses turns. */
  readonly isOpen: boolean;
  /** The agent that the marker in the first message names. */
  readonly originMarker?: string;
  /** Read anew, without what came from the cache. Counted once for each message. */
  readonly totalInputTokens: number;
  /** Read from the cache or written to it. */
  readonly totalCacheTokens: number;
  readonly totalOutputTokens: number;
  readonly compactionCount: number;
  /** A fraction: what it cost of what it may cost, where both are known. */
  readonly budgetUsedPct?: number;
  /** The session that it was forked from. */
  readonly forkedFrom?: string;
}

/** Whether a session is the agent's: by the registry, or where that has no entry by the marker in its first message. */
export function isOwnedBy({ agentId, originMarker }: DiscoveredSession, asking: string): boolean {
  const owner = agentId ?? originMarker;
  if (owner === asking) return true;
  // Anybody can type a marker: one that names no possible agent must not become one.
  return isValidAgentId(owner) && normalizeAgentId(owner) === normalizeAgentId(asking);
}

/** The newest first; of equal age the order does not depend on the order that they came in. */
export function compareByRecency(one: DiscoveredSession, other: DiscoveredSession): number {
  const difference = timeOf(other) - timeOf(one);
  if (difference !== 0) return difference;
  return one.sessionId < other.sessionId ? -1 : one.sessionId > other.sessionId ? 1 : 0;
}

/** A time that is none is older than any. */
function timeOf(session: DiscoveredSession): number {
  const time = session.lastModified.getTime();
  return Number.isNaN(time) ? -8.64e15 : time;
}

/** Enough of a session id for a person. */
export function shortId(sessionId: string): string {
  return oneLine(sessionId.slice(0, 8));
}
