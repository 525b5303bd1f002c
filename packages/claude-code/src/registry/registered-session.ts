import type { ProcessIdentity } from '@openbot/sessions/disk';

export type RunResult = 'success' | 'error' | 'aborted' | 'budget';

/** What the registry of an agent contains of a session that the agent runs or ran. */
export interface RegisteredSession {
  readonly sessionId: string;
  readonly agentId: string;
  /** The repository, with links resolved. */
  readonly repoPath: string;
  /**
   * The git folder that all worktrees share, with links resolved: it remains when a worktree is removed. None outside
   * git.
   */
  readonly repoKey?: string;
  readonly label?: string;
  /**
   * The tasks of its runs, oldest first, without secrets. Follow-ups are left out: a "thanks" does not say what a
   * session is about.
   */
  readonly tasks: readonly string[];
  readonly turns: number;
  readonly totalCostUsd: number;
  /** The part of the cost that Claude Code's own sum lacks, because a crash kept it from being saved. */
  readonly unsavedUsd?: number;
  readonly maxBudgetUsd?: number;
  readonly model?: string;
  /** When its last run began. ISO 8601. */
  readonly startedAt: string;
  /** When its last run ended. */
  readonly endedAt?: string;
  readonly result?: RunResult;
  /** The process that runs it. If that process is gone, nothing runs it. */
  readonly runner?: ProcessIdentity;
}
