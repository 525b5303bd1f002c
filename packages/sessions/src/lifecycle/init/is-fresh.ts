import { evaluateSessionFreshness } from '../../policy/freshness.ts';
import type { StoredSession } from '../../store/contract.ts';
import type { InitRequest } from './init-request.ts';

/** Whether a session that has begun goes on. For a system event every one does: only people's messages end them. */
export function isFresh(request: InitRequest, { entry }: StoredSession): boolean {
  if (request.isSystemEvent) return true;
  const { policy, timeZone, moment } = request;
  return evaluateSessionFreshness({ updatedAt: entry.updatedAt, now: moment.now, policy, timeZone }).fresh;
}
