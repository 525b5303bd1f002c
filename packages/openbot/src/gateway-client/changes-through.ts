import { OpenBotError } from '@openbot/sessions';
import type { PruneOutcome, SessionChanges } from '../kept-sessions/contract.ts';
import type { GatewayConnection } from './connect-gateway.ts';
import { COMMAND_METHOD } from './contract.ts';

/** Changes of an agent's sessions that the gateway makes, so that its other clients hear of them. */
export function changesThrough(gateway: GatewayConnection, agentId: string): SessionChanges {
  const change = <T>(what: keyof SessionChanges, params: object): Promise<T> =>
    gateway.call<T>(COMMAND_METHOD.changeSessions, { agentId, change: what, ...params });
  const named = ({ key, entry }: Parameters<SessionChanges['reset']>[0]) => ({
    key,
    sessionId: entry.sessionId,
  });
  return {
    set: ({ key }, fields) =>
      // What is undefined would be lost on the way, and means that a field is removed.
      change('set', {
        key,
        fields: Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value ?? null])),
      }),
    reset: (session) => change('reset', named(session)),
    remove: (session) => change('remove', named(session)),
    compact: (session, maxLines) => change('compact', { ...named(session), maxLines }),
    restore: (archive, key) => change('restore', { archive: archive.path, key }),
    prune: async (limits) => {
      const outcome = await change<PruneOutcome>('prune', { limits });
      return {
        ...outcome,
        failed: outcome.failed.map(({ key, error: { code, message, hint } }) => ({
          key,
          error: new OpenBotError(code, message, { ...(hint !== undefined && { hint }) }),
        })),
      };
    },
  };
}
