import type { ProcessIdentity } from '@openbot/sessions/disk';
import type { RunSigns } from '../backups/scheduled-edit.ts';
import { findRunner } from '../in-use/ancestors.ts';
import type { OwnRun } from '../in-use/session-use.ts';
import type { FoundSession } from '../storage/contract/found-session.ts';
import { canSeeRunProcess, findRunProcess } from '../storage/openclaw-sqlite/run-process.ts';
import { lookAtSession, readRunStart } from '../storage/openclaw-sqlite/run-signs.ts';

export interface SeenRun {
  /** What the session's entry says of its run. */
  readonly run: RunSigns | undefined;
  /** The process whose end is the end of the run, where that can be told: else the entry alone says when it is over. */
  readonly runner: Partial<ProcessIdentity> | undefined;
  /** Somebody is at work on the session now. */
  readonly isInRun: boolean;
}

/**
 * Whether a run of a session in OpenClaw's database is in progress. A gateway that died leaves an entry that says so: where
 * nobody is there who could be at work, it is not believed.
 */
export async function lookAtRun({ path, sessionId }: FoundSession, ownRun: OwnRun): Promise<SeenRun> {
  const { run, entries } = lookAtSession(path, sessionId);
  const isOwn = ownRun !== 'no';
  if (!isOwn && !run?.isRunning) return { run, runner: undefined, isInRun: false };
  // Above us may stand one that only runs commands for it, so who has the database open comes first.
  const runner =
    findRunProcess(path, readRunStart(entries)) ?? findRunner({ kind: 'unfinished', ageMs: 0, ownRun });
  return { run, runner, isInRun: isOwn || runner !== undefined || !canSeeRunProcess(path) };
}
