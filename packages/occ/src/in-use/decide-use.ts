import { OpenBotError } from '@openbot/sessions';
import type { UseFlags } from '../storage/contract/use.ts';
import type { SessionUse } from './session-use.ts';

type UseDecision =
  | { readonly act: 'go'; readonly note?: string }
  | { readonly act: 'refuse'; readonly error: OpenBotError }
  /** `quietMs`: for how long it must then have been idle. */
  | { readonly act: 'wait'; readonly ms: number; readonly quietMs: number }
  /** To be done by a worker when the use is over. */
  | { readonly act: 'schedule'; readonly note: string };

/** How long a program of the same library may hold a lock before it counts as in use: it only writes. */
const BRIEF_WAIT_MS = 5000;
/** OpenClaw releases its lock and takes it again several times during a run. */
const QUIET_MS = 300;

/** What to do about a session, given its use and the flags. */
export function decideUse(use: SessionUse | undefined, sessionId: string, flags: UseFlags): UseDecision {
  if (use === undefined) return { act: 'go' };
  const isOwn = isOwnRun(use);
  if (use.kind === 'unfinished') {
    const isDelayed = flags.whenIdle === true || use.bindsThinking === true;
    const note = use.ownRun === 'survives' ? SURVIVES_NOTE : undefined;
    if (flags.force === true || (note !== undefined && !isDelayed)) return { act: 'go', note };
  }
  if (flags.canSchedule && (isOwn || flags.whenIdle === true)) {
    return { act: 'schedule', note: scheduledNote(use) };
  }
  // The own run cannot end before this command does.
  if (!isOwn && flags.waitMs !== undefined) return { act: 'wait', ms: flags.waitMs, quietMs: QUIET_MS };
  if (!isOwn && use.kind === 'lock' && use.isBrief) return { act: 'wait', ms: BRIEF_WAIT_MS, quietMs: 0 };
  return { act: 'refuse', error: describeUse(use, sessionId, flags) };
}

/** The use as an error: who uses it, and what the user can do. */
export function describeUse(
  use: SessionUse,
  sessionId: string,
  flags: Pick<UseFlags, 'canSchedule' | 'waitMs'>,
): OpenBotError {
  return new OpenBotError('SESSION_IN_USE', `Session '${sessionId}' is in use: ${describeUser(use)}`, {
    hint: isOwnRun(use) ? hintOfOwnRun(use) : listRemedies(use, flags),
  });
}

function isOwnRun(use: SessionUse): boolean {
  return use.kind === 'unfinished' ? use.ownRun !== 'no' : use.isAncestor;
}

function describeUser(use: SessionUse): string {
  switch (use.kind) {
    case 'lock':
      return `its lock is held by ${use.who}`;
    case 'writer':
      return `${use.who} has it open for writing`;
    case 'unfinished':
      if (use.ownRun !== 'no')
        return `this command was called from its own run${use.bindsThinking ? `, and ${BOUND_REASON}` : ''}`;
      return use.runner?.pid !== undefined
        ? `process ${use.runner.pid} has not finished its last exchange`
        : `its last exchange is unfinished and it changed ${describeAge(use.ageMs)} ago`;
  }
}

/** What a process waits for that waits for the end of the use. */
export function describeWait(use: SessionUse): string {
  if (use.kind === 'lock') return `${use.holder}, which holds the lock of the session`;
  if (use.kind === 'writer') return `${use.who}, which has the session open for writing`;
  return 'the run that has not finished the last exchange of the session';
}

function describeAge(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  return seconds === 1 ? '1 second' : `${seconds} seconds`;
}

/** @param who the program that has the session in memory */
export function noteOfMemory(who: string): string {
  return `${who} continues with what it has in memory; the change takes effect at the next resume.`;
}

const SURVIVES_NOTE = noteOfMemory('The run that called this command');

/** To be added to such a note where thinking is bound. */
export const RESUME_FIRST =
  'What it thinks until then is bound to the messages that it has, and does not count afterwards.';

function hintOfOwnRun(use: SessionUse): string {
  const outside = 'Run this command from outside the run, when the run has ended';
  return use.kind === 'unfinished' && use.bindsThinking
    ? `${outside}, or use --force: what the run thinks after that does not count later.`
    : `${outside}.`;
}

function listRemedies(
  use: SessionUse,
  { canSchedule, waitMs }: Pick<UseFlags, 'canSchedule' | 'waitMs'>,
): string {
  const waiting =
    waitMs === undefined
      ? 'Wait for the end of the run with --wait'
      : `Give --wait a longer time than ${waitMs / 1000} s`;
  const wait = `${waiting}${canSchedule ? ', or clean in the background afterwards with --when-idle' : ''}.`;
  if (use.kind === 'unfinished') return `${wait} If no agent is working on it, use --force.`;
  if (use.kind === 'writer') return `${wait} If that process hangs, stop it.`;
  if (use.isKnownAlive) return `${wait} If that process hangs, stop it: its lock is then taken over.`;
  return `${wait} If that program has certainly ended, remove ${use.lockPath}.`;
}

/** Why nothing is rewritten in the middle of an exchange. */
const BOUND_REASON =
  'its model binds thinking to all that was said before it, so nothing of that may change now';

function scheduledNote(use: SessionUse): string {
  return `${explainDelay(use)} The edit is made when that has ended.`;
}

function explainDelay(use: SessionUse): string {
  if (!isOwnRun(use) || use.kind === 'writer') return `In use: ${describeUser(use)}.`;
  const called = "This command was called from the session's own run";
  if (use.kind === 'lock' || use.ownRun === 'aborts') return `${called}, which a rewrite would abort.`;
  return use.bindsThinking ? `${called}: ${BOUND_REASON}.` : `${called}.`;
}
