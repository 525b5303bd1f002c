import type { StoredSession } from '@openbot/sessions';
import { isCronSessionKey, isGroupType, isHookSessionKey, isSubagentSessionKey } from '@openbot/sessions/key';
import type { Tool } from '../tools/contract.ts';
import { answer, type ToolScope } from './parts.ts';
import { listReachable } from './reach.ts';

const KINDS = ['main', 'group', 'direct', 'subagent', 'cron', 'hook'] as const;
const MOST = 200;

const PARAMETERS: Tool['parameters'] = {
  type: 'object',
  properties: {
    limit: { type: 'integer', minimum: 1, description: 'How many. Default: 20.' },
    activeMinutes: { type: 'number', minimum: 0, description: 'Only those used in the last minutes.' },
    kinds: {
      type: 'array',
      items: { type: 'string' },
      description: `Only these kinds: ${KINDS.join(', ')}.`,
    },
  },
  required: [],
};

export function makeSessionsList(scope: ToolScope): Tool {
  return {
    name: 'sessions_list',
    description: 'Lists the sessions of this agent that you can reach, the last used first.',
    parameters: PARAMETERS,
    changes: false,
    run: async ({ limit = 20, activeMinutes, kinds }) => {
      const now = scope.parts.now();
      const since = activeMinutes === undefined ? 0 : now - (activeMinutes as number) * 60_000;
      const wanted = kinds as string[] | undefined;
      // The entry of this session is written beside the run, and may not have its time yet.
      const usedAt = ({ key, entry }: StoredSession) =>
        key === scope.session.sessionKey ? now : (entry.updatedAt ?? 0);
      const sessions = (await listReachable(scope))
        .filter((one) => usedAt(one) >= since && (wanted?.includes(kindOf(one)) ?? true))
        .sort((one, other) => usedAt(other) - usedAt(one));
      return answer({
        total: sessions.length,
        sessions: sessions.slice(0, Math.min(limit as number, MOST)).map((one) => describe(scope, one)),
      });
    },
  };
}

function describe({ session }: ToolScope, { key, entry }: StoredSession) {
  return {
    sessionKey: key,
    kind: kindOf({ key, entry }),
    ...(key === session.sessionKey && { isThisSession: true }),
    label: entry.label,
    name: entry.displayName ?? entry.origin?.label,
    channel: entry.lastChannel,
    spawnedBy: entry.spawnedBy,
    lastUsed: entry.updatedAt === undefined ? undefined : new Date(entry.updatedAt).toISOString(),
    model: entry.model,
    totalTokens: entry.totalTokens,
    status: entry.status,
  };
}

function kindOf({ key, entry: { chatType } }: StoredSession): (typeof KINDS)[number] {
  if (isSubagentSessionKey(key)) return 'subagent';
  if (isCronSessionKey(key)) return 'cron';
  if (isHookSessionKey(key)) return 'hook';
  if (isGroupType(chatType)) return 'group';
  return key === 'global' || /^agent:[^:]+:[^:]+$/.test(key) ? 'main' : 'direct';
}
