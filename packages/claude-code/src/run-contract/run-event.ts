import type { RunResult } from '../registry/registered-session.ts';
import type { SessionSelection } from '../select/selection.ts';
import type { PermissionRequest, PermissionSettlement } from './permission.ts';

/** How a run gets its session. A fork is a copy of another session under an id of its own. */
export type RunAction = 'resume' | 'fresh' | 'fork';

/** The events of a run, in order. Texts come from the model and its tools and can contain anything. */
export type RunEvent =
  /** Another run works in the repository; this one waits for its end. */
  | { readonly type: 'queued'; readonly behind: string }
  /** A process that a crashed run left, Claude Code or one of its tools, is ended first. */
  | { readonly type: 'leftover'; readonly sessionId: string; readonly pid: number }
  | { readonly type: 'selected'; readonly selection: SessionSelection }
  /** Claude Code does not know the session: a fresh one replaces it. */
  | { readonly type: 'fallback'; readonly sessionId: string; readonly reason: string }
  | {
      readonly type: 'started';
      readonly sessionId: string;
      readonly action: RunAction;
      readonly model: string;
      /** The process of Claude Code. */
      readonly pid: number;
      /** What the session cost before this run. */
      readonly spentUsd: number;
      /** The budget of the session. */
      readonly maxBudgetUsd?: number;
    }
  /** A turn begins: the task, then each follow-up. `waiting` more are queued. */
  | { readonly type: 'turn-started'; readonly text: string; readonly waiting: number }
  | { readonly type: 'text'; readonly text: string; readonly inSubagent: boolean }
  | {
      readonly type: 'tool';
      readonly toolUseId: string;
      readonly name: string;
      readonly input: unknown;
      readonly inSubagent: boolean;
    }
  | {
      readonly type: 'tool-result';
      readonly toolUseId: string;
      readonly isError: boolean;
      /** Cut to 2,000 characters. */
      readonly output: string;
    }
  /** The API failed; Claude Code waits and tries again. */
  | {
      readonly type: 'retrying';
      readonly attempt: number;
      readonly maxRetries: number;
      /** Undefined without a response. */
      readonly status?: number;
      readonly reason: string;
    }
  | { readonly type: 'permission'; readonly request: PermissionRequest }
  | {
      readonly type: 'permission-settled';
      readonly requestId: string;
      readonly settlement: PermissionSettlement;
    }
  | {
      readonly type: 'turn-ended';
      readonly isError: boolean;
      /** The answer, or what went wrong. */
      readonly text: string;
      /** The turn answers no message: something in the background ended. It had no `turn-started`. */
      readonly byItself: boolean;
      /** Of this turn. */
      readonly costUsd: number;
      /** Of all runs of the session. */
      readonly totalCostUsd: number;
      readonly budgetLeftUsd?: number;
    }
  | { readonly type: 'follow-up-queued'; readonly text: string; readonly waiting: number }
  /** The run stays open for follow-ups. */
  | { readonly type: 'idle'; readonly idleMs: number }
  /** A failure beside the work itself, such as writing the registry. The run continues. */
  | { readonly type: 'warning'; readonly message: string }
  | { readonly type: 'ended'; readonly outcome: RunOutcome };

export interface RunOutcome {
  /** Undefined if it was aborted before it had one. */
  readonly sessionId?: string;
  readonly result: RunResult;
  /** The last answer, or what Claude Code said by itself after it. */
  readonly text: string;
  /** What failed, for a person; with `error` and `budget`. */
  readonly failure?: string;
  /** Why it ended before the work was done, or while it was idle. */
  readonly ending?: 'idle' | 'made-room' | 'aborted';
  /** Of this run. */
  readonly turns: number;
  readonly costUsd: number;
  /** Of the session. */
  readonly totalCostUsd: number;
  readonly maxBudgetUsd?: number;
  /** Follow-ups that were not sent. */
  readonly unsent: readonly string[];
}
