import { hostname, release } from 'node:os';
import type { Connection } from './connection.ts';

/** A line of `system-presence`. */
export type PresenceEntry = Readonly<Record<string, unknown>>;

export function ownPresence(version: string, ts: number): PresenceEntry {
  const host = hostname();
  return {
    host,
    version,
    platform: `${process.platform} ${release()}`,
    mode: 'gateway',
    reason: 'self',
    text: `Gateway: ${host} · app ${version} · mode gateway · reason self`,
    ts,
  };
}

export function makePresence({ caller, peer, connectedAt, connId }: Connection): PresenceEntry {
  const { client, scopes, deviceId } = caller!;
  const { id, mode, version, platform, displayName, deviceFamily, instanceId } = client as typeof client & {
    readonly deviceFamily?: string;
    readonly instanceId?: string;
  };
  return {
    host: displayName ?? id,
    ip: peer.address,
    version,
    platform,
    deviceFamily,
    mode,
    reason: 'connect',
    instanceId: instanceId ?? connId,
    deviceId,
    roles: ['operator'],
    scopes: [...scopes],
    text: `Client: ${displayName ?? id} (${peer.address}) · app ${version} · mode ${mode} · reason connect`,
    ts: connectedAt,
  };
}
