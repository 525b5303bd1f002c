import { setTimeout as sleep } from 'node:timers/promises';
import type { Transcript } from '@openbot/sessions';
import { isHolderAlive, type ProcessIdentity } from '@openbot/sessions/disk';
import { readOpenclawDatabase } from '@openbot/sessions/openclaw-database';
import { isBoundSession, judgeLastExchange } from '../../in-use/last-exchange.ts';
import { isRecent, type UnfinishedUse } from '../../in-use/session-use.ts';
import type { FoundSession } from '../contract/found-session.ts';
import type { OwnRun } from '../contract/use.ts';
import { findRunInProgress, type RunInProgress, readSnapshot } from './figures/run-in-progress.ts';
import { readSession } from './readable-session.ts';

/**
 * A run in progress of a session whose thinking is bound to what was said before it. It goes on with what it has in memory,
 * and what it thinks would count behind no other messages. Of other sessions a run survives every change.
 * @param runner the process that ran the session, where that is known: while it lives an unfinished exchange may go on
 */
export function findOpenRun(
  session: FoundSession,
  ownRun: OwnRun,
  found: RunInProgress,
  runner: Partial<ProcessIdentity> | undefined,
): UnfinishedUse | undefined {
  const ageMs = Date.now() - readUpdatedAt(session);
  const mayBeOpen = isRecent(ageMs) || (runner !== undefined && isHolderAlive(runner) !== 'dead');
  if (!found.isInRun && !mayBeOpen) return undefined;
  const transcript = tryToRead(session);
  if (transcript === undefined || !isBoundSession(transcript)) return undefined;
  if (!found.isInRun && judgeLastExchange(transcript) !== 'unfinished') return undefined;
  return { kind: 'unfinished', ageMs, ownRun, bindsThinking: true, runner: found.runner };
}

interface RunWait {
  readonly waitMs: number;
  readonly runner: Partial<ProcessIdentity> | undefined;
}

const POLL_MS = 500;
/** OpenClaw still writes when a run is over, and fails if its session is changed at that time. */
const QUIET_MS = 1000;

/** Waits for the end of such a run. Returns it if it has not ended in that time. */
export async function waitForOpenRun(
  session: FoundSession,
  { waitMs, runner }: RunWait,
): Promise<UnfinishedUse | undefined> {
  const until = performance.now() + waitMs;
  let last: { readonly state: string; readonly since: number } | undefined;
  for (;;) {
    const use = findOpenRun(session, 'no', findRunInProgress(session, 'no'), runner);
    const now = performance.now();
    if (use !== undefined) {
      if (now >= until) return use;
      last = undefined;
    } else {
      const state = JSON.stringify(readSnapshot(session.path, session.sessionId));
      if (state !== last?.state) last = { state, since: now };
      if (now - last.since >= QUIET_MS) return undefined;
    }
    await sleep(use === undefined ? QUIET_MS / 5 : Math.min(POLL_MS, Math.max(1, until - now)));
  }
}

/** When the session was last written to, in ms. */
function readUpdatedAt({ path, sessionId, updatedAt }: FoundSession): number {
  const { entries } = readSnapshot(path, sessionId);
  return Math.max(updatedAt, ...entries.map((entry) => Number(entry.updatedAt) || 0));
}

function tryToRead({ path, sessionId }: FoundSession): Transcript | undefined {
  try {
    return readOpenclawDatabase(path, (database) => readSession(database, sessionId).transcript);
  } catch {
    // Whoever rewrites it says what is wrong with it.
    return undefined;
  }
}
