import { isHolderAlive, type ProcessIdentity } from '@openbot/sessions/disk';
import type { Calibration } from '@openbot/sessions/transcript';
import type { ResolvedToolRemovalOptions } from '../clean/tool-removal.ts';
import type { FoundSession, SourceName } from '../storage/contract/found-session.ts';

/** What is needed to compute the figures of a session in a database once the run is over that it was edited in. */
export interface FiguresToCorrect {
  readonly database: string;
  readonly sessionId: string;
  /** The number of the edit's backup. */
  readonly backup: number;
  /** Of the rows as the edit left them. */
  readonly generation: string;
  /** How characters became tokens before the edit. */
  readonly calibration: Calibration;
  readonly run: RunState;
  /** The database is of a version that is not known, and was to be changed all the same. */
  readonly force?: boolean;
}

/** What the entry of a session says of its run. */
export interface RunState {
  readonly isRunning: boolean;
  readonly runId?: string;
  /** The counters as text. */
  readonly counters: string;
}

/** An edit that waits for the end of a run, or its outcome. Kept in the journal of its session. */
export interface ScheduledEdit {
  readonly id: string;
  readonly state: 'waiting' | 'done' | 'failed';
  readonly requestedAt: string;
  readonly finishedAt?: string;
  /** Which storage holds the session. Absent in records of earlier versions. */
  readonly source?: SourceName;
  readonly storage?: FoundSession['storage'];
  /** Of a session in a database that is to be edited. */
  readonly database?: { readonly path: string; readonly sessionId: string };
  readonly toolRemoval: ResolvedToolRemovalOptions;
  /** Whether the first state is kept when its backup is rotated out. True. */
  readonly keepsOriginal?: boolean;
  /** The worker. Its start time distinguishes it from a later process with the same pid. */
  readonly process: ProcessIdentity;
  /** The process that ran the session; while it lives, an unfinished exchange may continue. */
  readonly runner?: Partial<ProcessIdentity>;
  /** The edit was made during a run: the worker corrects the figures that the run writes at its end. */
  readonly figures?: FiguresToCorrect;
  readonly result?: object;
  readonly error?: ScheduledEditError;
}

interface ScheduledEditError {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

/** Whether a value from a file can be one. */
export function isScheduledEdit(value: unknown): value is ScheduledEdit {
  const edit = value as Partial<ScheduledEdit> | null | undefined;
  return (
    typeof edit === 'object' &&
    edit !== null &&
    typeof edit.id === 'string' &&
    (edit.state === 'waiting' || edit.state === 'done' || edit.state === 'failed') &&
    typeof edit.requestedAt === 'string' &&
    typeof edit.toolRemoval === 'object' &&
    typeof edit.process === 'object'
  );
}

/** Whether a worker still waits to make it. */
export function isPending(edit: ScheduledEdit): boolean {
  return edit.state === 'waiting' && isHolderAlive(edit.process) !== 'dead';
}

/** The edit with its present state: one whose worker ended without an outcome has failed. */
export function settleScheduledEdit(edit: ScheduledEdit): ScheduledEdit {
  if (edit.state !== 'waiting' || isPending(edit)) return edit;
  const { pid } = edit.process;
  const isEdit = edit.figures === undefined;
  return {
    ...edit,
    state: 'failed',
    error: {
      code: 'EDIT_FAILED',
      message: `The background process ${pid} ended before it ${isEdit ? 'made the edit' : 'corrected them'}`,
      hint: isEdit ? 'No line was lost; run the edit again.' : UNCORRECTED_HINT,
    },
  };
}

/** The effect of figures that are too high. */
export const UNCORRECTED_HINT =
  'The session is clean. Until its next answer OpenClaw counts its old tokens, and may compact it once.';

export function describeFailure(error: unknown): ScheduledEditError {
  const { code, message, hint } = error as { code?: unknown; message?: unknown; hint?: unknown };
  return {
    code: typeof code === 'string' ? code : 'EDIT_FAILED',
    message: typeof message === 'string' ? message : String(error),
    ...(typeof hint === 'string' ? { hint } : {}),
  };
}
