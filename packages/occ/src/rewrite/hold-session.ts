import { OpenBotError } from '@openbot/sessions';
import type { FoundSession } from '../storage/contract/found-session.ts';
import type { HeldSession, HoldOptions } from '../storage/contract/rewriting.ts';
import type { SessionStorage } from '../storage/contract/storage.ts';

/**
 * Runs `rewrite` with the session held. Where the lock cannot be removed afterwards, the rewrite took place all the same:
 * that is a fault to report, not a failure.
 */
export async function holdSession<Result extends { readonly fault?: Error }>(
  storage: SessionStorage,
  session: FoundSession,
  options: HoldOptions,
  rewrite: (held: HeldSession) => Promise<Result>,
): Promise<Result> {
  const { hold } = await storage.rewriting();
  let done: Result | undefined;
  try {
    return await hold(session, options, async (held) => {
      done = await rewrite(held);
      return done;
    });
  } catch (error) {
    const isLockLeft = error instanceof OpenBotError && error.code === 'LOCK_NOT_RELEASED';
    if (done === undefined || !isLockLeft) throw error;
    return { ...done, fault: error };
  }
}
