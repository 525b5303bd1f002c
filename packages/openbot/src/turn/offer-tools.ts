import { FILE_TOOLS } from '../tools/all.ts';
import { allowedTools } from '../tools/allowed-tools.ts';
import type { RunTools } from '../tools/contract.ts';
import { openRunTools } from '../tools/run-tools.ts';
import { targetOfReply } from './deliver.ts';
import type { TurnSession } from './init-session.ts';
import type { Turn } from './open-turn.ts';
import { isReadOnlySession } from './session-fields/read-only.ts';
import { listSkillFolders } from './skills/scan-folders.ts';

/** What the agent can do in this turn. */
export function offerTools(
  turn: Turn,
  { entry, sessionKey, sessionId }: TurnSession,
): { readonly tools: RunTools; readonly isReadOnly: boolean } {
  const { tools, work, agent, message } = turn;
  const { workspaceDir } = agent;
  const session = {
    agentId: work.agentId,
    sessionKey,
    sessionId,
    turnId: work.turnId,
    requester: targetOfReply(message),
  };
  const all = [...FILE_TOOLS, ...tools.sessionTools(session)];
  const offered = openRunTools(
    all,
    { workspaceDir, readableDirs: readableDirsOf(turn) },
    allowedTools(all, entry, agent),
  );
  return { tools: offered, isReadOnly: isReadOnlySession(offered.list, workspaceDir) };
}

/** The folders of skills. */
export function readableDirsOf({ tools, agent }: Turn): string[] {
  return listSkillFolders({ ...tools, workspaceDir: agent.workspaceDir }).map(({ path }) => path);
}
