import type { ReadableSession } from 'oc-context-cleaner';
import type { ChosenEntries } from './choose-entries.ts';
import type { HistoryHead } from './render/contract.ts';

/** What is known of a session and of the part of it that is shown. */
export function describeHead({ session, keptPath }: ReadableSession, chosen: ChosenEntries): HistoryHead {
  const { sessionId, sessionKey, agentId, source, path } = session;
  const label = session.label ?? session.displayName;
  return {
    sessionId,
    ...(sessionKey !== undefined && { sessionKey }),
    ...(agentId !== null && { agentId }),
    ...(label !== undefined && { label }),
    source,
    path: keptPath ?? path,
    turns: chosen.turns,
    ...(chosen.shown !== undefined && { shown: chosen.shown }),
    otherBranches: chosen.offPath,
  };
}
