import { normalizeAgentId } from '@openbot/sessions';
import { listSessionKeySpellings } from '@openbot/sessions/key';
import { filledText, integer, listOf, maybe } from '../../gateway-protocol/param-shapes.ts';
import { readQuery, searchIndex } from '../search-index.ts';
import { gatewayMethod } from '../services.ts';
import { visibleAgents, visibleRef } from './session-ref.ts';

const USUAL_LIMIT = 10;

const search = gatewayMethod({
  name: 'sessions.search',
  scope: 'operator.read',
  params: {
    query: filledText,
    limit: maybe(integer({ least: 1, most: 25 })),
    sessionKeys: maybe(listOf(filledText)),
    agentId: maybe(filledText),
  },
  handle: async ({ query, limit = USUAL_LIMIT, sessionKeys, agentId }, call) => {
    const wanted = agentId === undefined ? undefined : normalizeAgentId(agentId);
    const agentIds = visibleAgents(call).filter((id) => wanted === undefined || id === wanted);
    const { mainKey } = call.services.config.session ?? {};
    const keys = sessionKeys?.flatMap((key) => {
      const ref = visibleRef(call, key);
      return ref === undefined ? [] : listSessionKeySpellings(ref.sessionKey, { mainKey });
    });
    if (agentIds.length === 0 || keys?.length === 0) return { results: [] };
    const hits = await searchIndex(call, {
      query: readQuery(query),
      texts: ['said'],
      agentIds,
      sessionKeys: keys,
      limit,
    });
    return {
      results: hits.map(({ sessionKey, sessionId, entryId, speaker, at, snippet, score }) => ({
        sessionKey,
        sessionId,
        messageId: entryId,
        role: speaker,
        timestamp: at,
        snippet: snippet.text,
        score,
      })),
    };
  },
});

export const SESSION_SEARCH_METHODS = [search];
