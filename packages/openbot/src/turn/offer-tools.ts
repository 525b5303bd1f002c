import { isSharedSession } from '../access/shared-session.ts';
import { listMedia } from '../media/media-fields.ts';
import { folderOfMedia } from '../media/places.ts';
import type { Policy } from '../permissions/policy.ts';
import type { ModelChoice, RunRequest } from '../runners/contract.ts';
import { FILE_TOOLS } from '../tools/all.ts';
import { decideUse, isUsedUnasked, listTools, mayBeUsed } from '../tools/allowed-tools.ts';
import type { RunTools } from '../tools/contract.ts';
import { makeExec } from '../tools/exec/exec.ts';
import { openRunTools } from '../tools/run-tools.ts';
import { requesterOf } from './deliver.ts';
import type { TurnSession } from './init-session.ts';
import { openPolicy } from './open-policy.ts';
import type { Turn } from './open-turn.ts';
import { isReadOnlySession } from './session-fields/read-only.ts';
import { listSkillFolders } from './skills/scan-folders.ts';

export interface OfferedTools {
  readonly tools: RunTools;
  /** For tools of the runner's own program. */
  readonly permit: RunRequest['permit'];
  readonly findDenial: RunRequest['findDenial'];
  readonly unreadable: RunRequest['unreadable'];
  /** Called when a person was asked whether a call may be made, and has answered. */
  readonly whenAnswered: Set<() => void>;
  /** The session may look but not change anything, whatever is listed and whoever could be asked. */
  readonly isReadOnly: boolean;
  /** The agent may change nothing without a person's answer. */
  readonly isAsking: boolean;
}

/** The tools that the agent is told of, which are the same in each turn of a session, and what it may do with them now. */
export function offerTools(turn: Turn, turnSession: TurnSession, model: ModelChoice): OfferedTools {
  const { tools, work, agent, message } = turn;
  const { entry, sessionKey, sessionId } = turnSession;
  const { workspaceDir } = agent;
  const whenAnswered = new Set<() => void>();
  const policy = openPolicy(turn, turnSession, () => {
    for (const listener of whenAnswered) listener();
  });
  const permit: RunRequest['permit'] = (request, signal) => policy.permit(request, signal);
  const findDenial: Policy['findDenial'] = (use, folder) => policy.findDenial(use, folder);
  const findReadDenial: Policy['findReadDenial'] = (path, realPaths) =>
    policy.findReadDenial(path, realPaths);
  const session = {
    agentId: work.agentId,
    sessionKey,
    sessionId,
    turnId: work.turnId,
    requester: requesterOf(message),
    isShared: isSharedSession(turnSession),
    model,
    chain: message.wish?.relay?.chain ?? [],
    permit,
    findDenial,
    findReadDenial,
    unreadable: policy.unreadable,
  };
  const rules = { entry, agent, canAsk: policy.canAsk };
  const all = [...FILE_TOOLS, makeExec(agent.exec, tools.env), ...tools.sessionTools(session)];
  const listed = listTools(all, agent);
  const changing = listed.filter((tool) => tool.changes && mayBeUsed(tool, rules));
  // Whether this sender can be asked is no property of the session: the agent is not told of it with each message.
  const couldChange = listed.filter((tool) => tool.changes && mayBeUsed(tool, { ...rules, canAsk: true }));
  const offered = openRunTools(
    all,
    {
      workspaceDir,
      readableDirs: readableDirsOf(turn),
      // Their names cannot be guessed, so an agent reads those that a message to it named.
      folderOf: (path) => folderOfMedia(tools.stateDir, path),
      findReadDenial,
    },
    listed.map(({ name }) => name),
    async (tool, args, { callId, signal }) => {
      const request = { callId, toolName: tool.name, arguments: args };
      const use = decideUse(tool, args, rules);
      if (use.do === 'ask') return policy.permit(request, signal, use.how);
      const reason = use.do === 'refuse' ? use.reason : await policy.findDenial(request);
      return reason === undefined ? { isAllowed: true } : { isAllowed: false, reason };
    },
  );
  return {
    tools: offered,
    permit,
    findDenial: (use) => policy.findDenial(use),
    unreadable: policy.unreadable,
    whenAnswered,
    isReadOnly: isReadOnlySession(couldChange, workspaceDir),
    isAsking: !changing.some((tool) => isUsedUnasked(tool, rules)),
  };
}

/** The folders of skills, and those of the files of the turn. */
export function readableDirsOf({ tools, agent, work }: Turn): string[] {
  const skills = listSkillFolders({ ...tools, workspaceDir: agent.workspaceDir }).map(({ path }) => path);
  const files = work.messages.flatMap(({ ctx }) => listMedia(ctx));
  return [...skills, ...files.flatMap(({ path }) => folderOfMedia(tools.stateDir, path) ?? [])];
}
