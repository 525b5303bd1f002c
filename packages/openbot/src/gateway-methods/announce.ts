import type { SessionRef } from '../session-address.ts';
import type { GatewayServices } from './services.ts';

/**
 * Tells those who follow sessions that one has changed, with its row. The fields of the row are at the top level as well,
 * where older clients look for them.
 */
export async function announceChange(
  services: GatewayServices,
  ref: SessionRef,
  about: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { hub, rows } = services;
  const { agentId, sessionKey } = ref;
  const audience = { to: 'sessions' } as const;
  if (!hub.hasListener({ audience, agentId })) return;
  // A session is listed before anything was said in it: lists learn here what it is called.
  const row = await rows.find(ref, { title: true });
  const { key: _key, ...fields } = row ?? {};
  const payload = {
    ...fields,
    sessionKey,
    agentId,
    ...about,
    ts: services.now(),
    ...(row && { session: row }),
  };
  hub.publish({ event: 'sessions.changed', payload, agentId, audience });
}

/** The session is gone: once with its id, and once more without a key, as OpenClaw does for its lists. */
export function announceRemoval(
  { hub, now }: GatewayServices,
  { agentId, sessionKey }: SessionRef,
  sessionId: string,
): void {
  const audience = { to: 'sessions' } as const;
  const common = { agentId, reason: 'delete', ts: now() };
  for (const payload of [{ sessionKey, sessionId, ...common }, common])
    hub.publish({ event: 'sessions.changed', payload, agentId, audience });
}
