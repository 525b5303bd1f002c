import { resolveWithinFolder } from '../../disk/canonical-path.ts';
import type { HeldLock } from '../../disk/held-lock.ts';
import type { LockOptions } from '../../disk/lock.ts';
import { OpenBotError } from '../../errors.ts';
import type { StoredSession } from '../../store/contract.ts';
import { withTranscriptLock } from '../../transcript-file/lock.ts';
import { type AgentSessions, locateTranscript } from '../agent-sessions.ts';
import { requireEntry } from '../locate-entry.ts';

export interface CurrentTranscript extends StoredSession {
  /** May not exist yet. */
  path: string;
  lock: HeldLock;
}

// Each attempt fails only because another process made progress.
const MOST_ATTEMPTS = 50;

/**
 * Runs `body` with the lock of the transcript that the key points to, and only once it is sure to be that one: a reset
 * may come in while the lock is waited for. A reset that comes later archives what `body` wrote with the rest.
 */
export async function withCurrentTranscript<T>(
  agent: AgentSessions,
  sessionKey: string,
  lock: LockOptions | undefined,
  body: (current: CurrentTranscript) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
    const path = await locateCurrent(agent, sessionKey);
    const runBody = async (held: HeldLock) => {
      const session = await requireEntry(agent.store, agent, sessionKey);
      if (locateTranscript(agent, session.entry) !== path) return undefined;
      return { result: await body({ ...session, path, lock: held }) };
    };
    const done = await withTranscriptLock(resolveWithinFolder(path), runBody, lock);
    if (done !== undefined) return done.result;
  }
  throw new OpenBotError('STORE_CONFLICT', `${sessionKey} was given new sessions repeatedly`, {
    hint: 'Nothing was written. Try again.',
  });
}

async function locateCurrent(agent: AgentSessions, sessionKey: string): Promise<string> {
  return locateTranscript(agent, (await requireEntry(agent.store, agent, sessionKey)).entry);
}
