import type { ProcessIdentity } from '@openbot/sessions/disk';

export type RunResult = 'success' | 'error' | 'aborted' | 'budget';

/** What is written down of a session that an agent of ours runs or ran. */
export interface RegisteredSession {
  readonly sessionId: string;
  readonly agentId: string;
  /** The repository, with links resolved. */
  readonly repoPath: string;
  /** What all worktrees of the repository share, with links resolved: it stays when one of them is removed. None outside git. */
  readonly repoKey?: string;
  readonly label?: string;
  /** What its runs were started for, oldest first. Follow-ups are not: a "thanks" says nothing of what a session is about. Kept without secrets. */
  readonly tasks: readonly string[];
  readonly turns: number;
  readonly totalCostUsd: number;
  /** As much of the cost as Claude Code's own sum lacks: a crash kept it from being saved. */
  readonly unsavedUsd?: number;
  readonly maxBudgetUsd?: number;
  readonly model?: string;
  /** When its last run began. ISO 8601. */
  readonly startedAt: string;
  /** When that run ended. */
  readonly endedAt?: string;
  readonly result?: RunResult;
  /** The process that runs it now. One that is gone runs nothing, whatever it left here. */
  readonly runner?: ProcessIdentity;
}
