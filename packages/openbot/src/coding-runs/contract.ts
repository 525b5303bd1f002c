import type { DeliveryTarget } from '../outbox/contract.ts';

/** Follow-ups are outbox messages to the process that has the run: durable, and each is given to it once. */
export const CODING_CHANNEL = 'coding-runs';

/** A run of Claude Code that a conversation started, as it is kept in the state folder. */
export interface RunRecord {
  readonly id: string;
  readonly agentId: string;
  /** The conversation that asked for it. */
  readonly sessionKey: string;
  /** Where the person is who asked. */
  readonly requester: DeliveryTarget;
  readonly repoPath: string;
  readonly task: string;
  readonly label?: string;
  /** Names the process that has it, and the account that takes its follow-ups. */
  readonly owner: string;
  /** ms */
  readonly startedAt: number;
  /** That of Claude Code, once it is known. */
  readonly sessionId?: string;
  /** ms */
  readonly endedAt?: number;
  /** `lost`: its process died. */
  readonly result?: 'success' | 'error' | 'aborted' | 'budget' | 'lost';
}
