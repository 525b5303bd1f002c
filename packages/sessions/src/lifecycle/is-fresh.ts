import { isSessionId } from '../layout/safe-id.ts';
import { evaluateSessionFreshness } from '../policy/freshness.ts';
import type { StoredSession } from '../store/contract.ts';
import type { InitRequest } from './init-request.ts';
import { isBeingDeleted } from './pending-archive.ts';

/** Whether the session can be resumed. A system event finds every session fresh: only people's messages end them. */
export function isFresh(request: InitRequest, { entry }: StoredSession): boolean {
  if (!isSessionId(entry.sessionId) || isBeingDeleted(entry)) return false;
  if (request.isSystemEvent) return true;
  const { policy, timeZone, moment } = request;
  return evaluateSessionFreshness({ updatedAt: entry.updatedAt, now: moment.now, policy, timeZone }).fresh;
}
