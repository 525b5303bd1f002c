import { isHolderAlive, type ProcessIdentity } from '@openbot/sessions';
import type { ResolvedToolRemovalOptions } from '../clean/tool-removal.ts';

/** An edit that waits for the end of a run, or what became of it. Kept in the journal of its session. */
export interface ScheduledEdit {
  readonly id: string;
  readonly state: 'waiting' | 'done' | 'failed';
  readonly requestedAt: string;
  readonly finishedAt?: string;
  readonly toolRemoval: ResolvedToolRemovalOptions;
  /** Who waits: a later process with the same pid is told from it by its start time. */
  readonly process: ProcessIdentity;
  /** The process that was at work on the session; while it lives an unfinished exchange may still go on. */
  readonly runner?: Partial<ProcessIdentity>;
  readonly result?: object;
  readonly error?: ScheduledEditError;
}

export interface ScheduledEditError {
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

/** Whether somebody still waits to make it. */
export function isPending(edit: ScheduledEdit): boolean {
  return edit.state === 'waiting' && isHolderAlive(edit.process) !== 'dead';
}

/** The edit as it stands: one whose process ended before its time has failed, though it could not say so. */
export function settleScheduledEdit(edit: ScheduledEdit): ScheduledEdit {
  if (edit.state !== 'waiting' || isPending(edit)) return edit;
  return {
    ...edit,
    state: 'failed',
    error: {
      code: 'EDIT_FAILED',
      message: `The process that waited to make it (${edit.process.pid}) ended before its time`,
      hint: 'Nothing was lost; run the edit again.',
    },
  };
}

export function describeFailure(error: unknown): ScheduledEditError {
  const { code, message, hint } = error as { code?: unknown; message?: unknown; hint?: unknown };
  return {
    code: typeof code === 'string' ? code : 'EDIT_FAILED',
    message: typeof message === 'string' ? message : String(error),
    ...(typeof hint === 'string' ? { hint } : {}),
  };
}
