import type { Tool } from '../tools/contract.ts';
import { answer, type ToolScope } from './parts.ts';

const PARAMETERS: Tool['parameters'] = { type: 'object', properties: {}, required: [] };

export function makeSessionStatus(scope: ToolScope): Tool {
  return {
    name: 'session_status',
    description: 'Tells how full your context is, which model answers, and which session this is.',
    parameters: PARAMETERS,
    changes: false,
    run: async () => {
      const { parts, session, store } = scope;
      const { sessionKey, sessionId, model } = session;
      const entry = await store.get(sessionKey);
      const tokens = entry && (await parts.state.transcripts.measureContext(scope.refOf(sessionKey, entry)));
      const window = model.contextWindow ?? entry?.contextTokens;
      return answer({
        sessionKey,
        sessionId,
        label: entry?.label,
        model: `${model.provider}/${model.model}`,
        thinking: entry?.thinkingLevel,
        contextTokens: tokens ?? 0,
        contextWindow: window,
        usedPercent: window === undefined ? undefined : Math.round(((tokens ?? 0) / window) * 100),
        compactions: entry?.compactionCount ?? 0,
        note: 'Tokens are those of the last request, with an estimate of what came since.',
      });
    },
  };
}
