import type { ProcessIdentity } from '@openbot/sessions';

/** What is written down of a session that an agent of ours runs or ran. */
export interface RegisteredSession {
  readonly sessionId: string;
  readonly agentId: string;
  /** The repository, with links resolved. */
  readonly repoPath: string;
  readonly label?: string;
  /** What it was asked to do, oldest first. */
  readonly tasks: readonly string[];
  readonly turns: number;
  readonly totalCostUsd: number;
  readonly maxBudgetUsd?: number;
  readonly model?: string;
  /** When its last run began. ISO 8601. */
  readonly startedAt: string;
  /** When that run ended. */
  readonly endedAt?: string;
  readonly result?: 'success' | 'error' | 'aborted' | 'budget';
  /** The process that runs it now. One that is gone runs nothing, whatever it left here. */
  readonly runner?: ProcessIdentity;
  /** The Claude Code that this process started. After a crash it may live on for a moment. */
  readonly child?: ProcessIdentity;
}
