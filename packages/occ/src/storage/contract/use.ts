import type { Transcript } from '@openbot/sessions';
import type { ProcessIdentity } from '@openbot/sessions/disk';
import type { CleanPlan } from '../../clean/plan.ts';
import type { FoundBy, FoundSession } from './found-session.ts';

/** Finds out who uses the sessions of one storage, and what may be done to a session meanwhile. */
export interface UseStorage {
  /** Whether the caller was started by the session's own run, and what a rewrite does to that run. */
  ownRun(session: FoundSession, caller: Caller): OwnRun;
  /**
   * Decides what a rewrite may do now, after waiting if the flags ask for it. Throws SESSION_IN_USE if it may do
   * nothing.
   */
  settle(session: FoundSession, question: UseQuestion): Promise<SettledUse>;
  /** The worker's part of an edit that was made during a run: corrects the figures that the run writes at its end. */
  correctAfterRun?(task: CorrectionTask): Promise<void>;
}

export interface Caller {
  readonly foundBy: FoundBy;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * OpenClaw aborts a run whose file was replaced. Claude Code and pi continue from memory and append to the file of that
 * name, so nothing is lost.
 */
export type OwnRun = 'no' | 'aborts' | 'survives';

export interface UseQuestion {
  readonly ownRun: OwnRun;
  readonly env: Caller['env'];
  readonly flags: UseFlags;
  /** Asked by the worker of a scheduled edit: the process that ran the session then, if it is known. */
  readonly scheduled?: { readonly runner: Partial<ProcessIdentity> | undefined };
}

export interface UseFlags {
  /** Overrides the guess from an unfinished exchange and nothing else. */
  readonly force?: boolean;
  /** How long to wait for the end of the use. */
  readonly waitMs?: number;
  readonly whenIdle?: boolean;
  /** False for an operation that no worker can do later, such as a restore. */
  readonly canSchedule: boolean;
}

export type SettledUse =
  | AllowedRewrite
  /** To be done by a worker when the use is over. */
  | { readonly act: 'schedule'; readonly note: string; readonly runner?: Partial<ProcessIdentity> };

/** The session may be rewritten now. */
export interface AllowedRewrite {
  readonly act: 'go';
  /** A run is in progress, which writes the counters of the session at its end. */
  readonly isInRun: boolean;
  /** Checks the lines that are about to be rewritten. Throws SESSION_IN_USE if a run seems to have begun. */
  assertIdle(transcript: Transcript): void;
  /** To be called after an edit. Returns a note for the reader. Never throws. */
  afterEdit(edit: MadeEdit): Promise<string | undefined>;
  /** The note for the reader after a restore. */
  afterRestore(): string | undefined;
}

export interface MadeEdit {
  readonly plan: CleanPlan;
  /** Undefined if nothing was changed. */
  readonly backupPath?: string;
}

/** @property path of the transcript beside which the journal is */
export interface CorrectionTask {
  readonly id: string;
  readonly path: string;
}

/** The result of a correction of figures. */
export interface FiguresResult {
  readonly mode: 'figures';
  readonly changed: boolean;
  /** The highest figure that was too high, and the computed size of the context. */
  readonly tokens?: { readonly before: number; readonly after: number };
  /** Why nothing was changed. */
  readonly note?: string;
}
