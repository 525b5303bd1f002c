import type { ProcessIdentity } from '@openbot/sessions';
import { lookAtSession } from '../session-db/run-signs.ts';
import type { RunSigns } from '../session-file/scheduled-edit.ts';
import type { OwnRun } from '../session-file/session-use.ts';
import type { FoundSession } from '../sources/found-session.ts';
import { findRunnerOf } from './schedule-correction.ts';

export interface SeenRun {
  /** What the session's entry says of its run. */
  readonly run: RunSigns | undefined;
  readonly runner: Partial<ProcessIdentity> | undefined;
  /** Somebody is at work on the session now. */
  readonly isInRun: boolean;
}

/** Whether a run of a session in OpenClaw's database is in progress. */
export async function lookAtRun(session: FoundSession, ownRun: OwnRun): Promise<SeenRun> {
  const { run } = lookAtSession(session.path, session.sessionId);
  const isSaid = ownRun !== 'no' || run?.isRunning === true;
  const runner = isSaid ? await findRunnerOf(session, ownRun) : undefined;
  // A gateway that died leaves an entry that says so for ever.
  return { run, runner, isInRun: isSaid && (runner !== undefined || process.platform !== 'linux') };
}
