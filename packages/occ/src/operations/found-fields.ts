import type { FoundBy, ResolvedSession } from '../storage/contract/found-session.ts';

/** Which session a result is about, and how it was found. */
export interface FoundFields {
  foundBy: FoundBy;
  /** OpenClaw only; absent for a session that no index knows. */
  sessionKey?: string;
  /** OpenClaw only; null elsewhere. */
  agentId: string | null;
  label?: string;
  displayName?: string;
}

export function foundFieldsOf({ session, foundBy }: ResolvedSession): FoundFields {
  const { sessionKey, agentId, label, displayName } = session;
  return {
    foundBy,
    sessionKey,
    agentId,
    label,
    displayName,
  };
}
