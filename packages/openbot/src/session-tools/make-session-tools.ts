import { isSharedKey } from '../access/shared-session.ts';
import type { ResolvedAgent } from '../config/agents.ts';
import type { Tool, ToolSession } from '../tools/contract.ts';
import { makeContextClean } from './context-clean.ts';
import { makeMemorySearch } from './memory-search.ts';
import { makeMessage } from './message.ts';
import { type SessionToolParts, ToolScope } from './parts.ts';
import { makeSessionStatus } from './session-status.ts';
import { makeSessionsHistory } from './sessions-history.ts';
import { makeSessionsList } from './sessions-list.ts';
import { makeSessionsSend } from './sessions-send.ts';
import { makeSessionsSpawn } from './sessions-spawn.ts';

/** What an agent can do with its conversations. Which tools those are depends on the session alone, not on the turn. */
export function makeSessionTools(
  parts: SessionToolParts,
  session: ToolSession,
  agent: ResolvedAgent,
): Tool[] {
  const scope = new ToolScope(parts, session, agent);
  return [
    makeMessage(scope),
    makeSessionsList(scope),
    makeSessionsHistory(scope),
    makeSessionsSend(scope),
    makeSessionsSpawn(scope),
    makeSessionStatus(scope),
    makeContextClean(scope),
    ...(isSharedKey(session.sessionKey) ? [] : [makeMemorySearch(scope)]),
  ];
}
