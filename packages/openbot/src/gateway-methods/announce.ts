import type { SessionRef } from '../session-address.ts';
import type { GatewayRow } from './rows/contract.ts';
import type { GatewayServices } from './services.ts';

/** What a row may lose. Clients put the fields of an event into the row that they have: what is left out would stay. */
const CLEARED = {
  label: null,
  displayName: null,
  thinkingLevel: null,
  archivedAt: null,
  pinnedAt: null,
  endedAt: null,
  runtimeMs: null,
};

/** A row in the payload of an event: whole, and its fields at the top level, where clients look for them. */
export function rowInEvent(row: GatewayRow | undefined): Readonly<Record<string, unknown>> {
  if (row === undefined) return {};
  const { key: _key, ...fields } = row;
  return { ...CLEARED, ...fields, session: row };
}

/** Tells those who follow sessions that one has changed, with its row. */
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
  const row = rowInEvent(await rows.find(ref, { title: true }));
  const payload = { ...row, sessionKey, agentId, ...about, ts: services.now() };
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
