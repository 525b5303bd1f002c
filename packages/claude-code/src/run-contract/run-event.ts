import type { RunResult } from '../registry/registered-session.ts';
import type { SessionSelection } from '../select/selection.ts';
import type { PermissionRequest, PermissionSettlement } from './permission.ts';

/** How a run gets its session. A fork is a copy of another session under an id of its own. */
export type RunAction = 'resume' | 'fresh' | 'fork';

/** What happens in a run, in its order. Texts are those of the model and its tools: anything can be in them. */
export type RunEvent =
  /** Another run has the repository; this one waits for its end. */
  | { readonly type: 'queued'; readonly behind: string }
  /** Something of a run that crashed was still at work and is ended first: Claude Code, or one of its tools. */
  | { readonly type: 'leftover'; readonly sessionId: string; readonly pid: number }
  | { readonly type: 'selected'; readonly selection: SessionSelection }
  /** The session that was to be resumed is not known to Claude Code: a fresh one takes its place. */
  | { readonly type: 'fallback'; readonly sessionId: string; readonly reason: string }
  | {
      readonly type: 'started';
      readonly sessionId: string;
      readonly action: RunAction;
      readonly model: string;
      /** Of Claude Code. */
      readonly pid: number;
      /** What the session cost before this run. */
      readonly spentUsd: number;
      /** What it may cost in all. */
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
      /** The beginning of it. */
      readonly output: string;
    }
  /** The API did not answer, or with an error; Claude Code waits and asks again. */
  | {
      readonly type: 'retrying';
      readonly attempt: number;
      readonly maxRetries: number;
      /** Undefined where there was no answer. */
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
      /** Nobody asked for the turn: something that was left in the background ended. Its beginning was not told. */
      readonly byItself: boolean;
      /** Of this turn. */
      readonly costUsd: number;
      /** Of the session, all its runs together. */
      readonly totalCostUsd: number;
      readonly budgetLeftUsd?: number;
    }
  | { readonly type: 'follow-up-queued'; readonly text: string; readonly waiting: number }
  /** Nothing to do: it stays open for follow-ups. */
  | { readonly type: 'idle'; readonly idleMs: number }
  /** Something beside the work failed, such as writing down its cost. The run goes on. */
  | { readonly type: 'warning'; readonly message: string }
  | { readonly type: 'ended'; readonly outcome: RunOutcome };

export interface RunOutcome {
  /** Undefined where it was aborted before it had one. */
  readonly sessionId?: string;
  readonly result: RunResult;
  /** The last answer, or what Claude Code said by itself after it. */
  readonly text: string;
  /** The one failure of the run, for a person; with `error` and `budget`. */
  readonly failure?: string;
  /** Why it ended, where that is not the end of the work. */
  readonly ending?: 'idle' | 'made-room' | 'aborted';
  /** Of this run. */
  readonly turns: number;
  readonly costUsd: number;
  /** Of the session. */
  readonly totalCostUsd: number;
  readonly maxBudgetUsd?: number;
  /** Follow-ups that were not reached. */
  readonly unsent: readonly string[];
}
