import type { AgentSessionRequest } from '@openbot/claude-code';
import type { SentByTool } from '../../tools/contract.ts';
import { prefixTokensOf } from '../compaction-point.ts';
import type { RunRequest } from '../contract.ts';
import { autocompactOf, compactsAt, effortOf } from './models.ts';
import { declareTools, findGone } from './own-tools.ts';
import type { ClaudePlace } from './place.ts';

type Composed = Omit<AgentSessionRequest, 'session' | 'mayBegin' | 'mayCompact' | 'onSummary'>;

/**
 * What a request and the settings of its agent say to Claude Code.
 * @param sent gets what a tool sent to a person by itself, by the id of its call
 */
export function composeSession(
  request: RunRequest,
  place: ClaudePlace,
  { tools: own, mode }: ReturnType<ClaudePlace['settingsOf']>,
  sent: Map<string, SentByTool>,
): Composed {
  const { transcript, workspaceDir, readableDirs, model, systemPrompt, tools, permit, findDenial } = request;
  const offered = place.settingsOf(transcript.agentId).tools;
  const autocompact = autocompactOf(compactsAt(model, request.reserveTokens, prefixTokensOf(request)));
  return {
    agentId: transcript.agentId,
    stateDir: place.stateDir,
    env: { ...place.envOf(transcript.agentId), ...autocompact?.env },
    workspaceDir,
    readableDirs,
    model: model.model,
    contextWindow: autocompact?.window,
    systemPrompt: systemPrompt.text,
    effort: effortOf(request.thinkingLevel),
    tools: declareTools(tools.list),
    claudeTools: own,
    permissionMode: mode,
    run: async (call, signal) => {
      const { sent: message, ...result } = await tools.run(call, AbortSignal.any([signal, request.signal]));
      if (message !== undefined) sent.set(call.id, message);
      return result;
    },
    permit: ({ id, name, arguments: args }, signal) =>
      permit({ callId: id, toolName: name, arguments: args }, signal),
    unreadable: request.unreadable,
    findDenial: ({ name, arguments: args }) =>
      findGone(name, { ours: tools.list, told: own, offered }) ??
      findDenial?.({ toolName: name, arguments: args }),
  };
}
