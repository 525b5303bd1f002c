import { buildAgentMainSessionKey, type StoredSession } from '@openbot/sessions';
import { refuse } from '../../gateway-protocol/wire-errors.ts';
import type { SessionRef } from '../../session-address.ts';
import type { GatewayServices } from '../services.ts';

/** A client decided about a session that is not there any more. */
export function assertExpectedId(
  { sessionKey }: SessionRef,
  stored: StoredSession | undefined,
  expected: string | undefined,
): void {
  if (expected === undefined || stored?.entry.sessionId === expected) return;
  throw refuse('INVALID_REQUEST', `Session ${sessionKey} changed; read it again before you retry.`, {
    details: { reason: 'session-changed' },
  });
}

export function assertNotMain(
  { config: { session } }: GatewayServices,
  { agentId, sessionKey }: SessionRef,
  verb: 'delete' | 'archive',
): void {
  const main =
    session?.scope === 'global' ? 'global' : buildAgentMainSessionKey({ agentId, mainKey: session?.mainKey });
  if (sessionKey === main) throw refuse('INVALID_REQUEST', `Cannot ${verb} the main session (${main}).`);
}
