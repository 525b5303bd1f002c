import type { Clock } from '../clock.ts';
import type { DeviceBook } from '../gateway-devices/device-book.ts';
import { listCredentials } from './admission/credentials.ts';
import type { AuditLog } from './audit-log.ts';
import type { GatewaySettings } from './settings.ts';
import type { Connection } from './sockets/connection.ts';
import type { Connections } from './sockets/connections.ts';

const LOOK_MS = 1_000;

export interface WatchedRights {
  /** At a connection that has just opened: what let it in may be gone meanwhile. */
  look(connection: Connection): void;
  close(): void;
}

/** Closes connections whose token or device is not valid any more. */
export function watchRights({
  settings,
  devices,
  connections,
  audit,
  clock,
  log,
}: {
  settings(): GatewaySettings;
  readonly devices: DeviceBook;
  readonly connections: Connections;
  readonly audit: AuditLog;
  readonly clock: Clock;
  log(line: string): void;
}): WatchedRights {
  let known: ReadonlyMap<string, string> | undefined;
  const lookAtDevices = () => {
    const before = known;
    known = new Map(devices.list().map(({ deviceId, scopes }) => [deviceId, scopes.join()]));
    for (const connection of connections.open) closeRevoked(connection, (id) => known!.has(id));
    if (before === undefined) return;
    // Also those of other processes, such as commands.
    for (const [id, scopes] of known)
      if (before.get(id) !== scopes) audit.note('device.approved', { id, scopes });
    for (const id of before.keys()) if (!known.has(id)) audit.note('device.revoked', { id });
  };
  const lookAtTokens = () => {
    const valid = listCredentials(settings());
    for (const connection of connections.open) closeWithoutToken(connection, valid);
  };
  const look = () => {
    try {
      lookAtTokens();
      if (devices.hasChanged()) lookAtDevices();
    } catch (error) {
      log((error as Error).message);
    }
  };
  let cancel = () => {};
  const sleep = () => {
    cancel = clock.after(LOOK_MS, () => {
      look();
      sleep();
    });
  };
  look();
  sleep();
  return {
    look(connection) {
      closeWithoutToken(connection, listCredentials(settings()));
      closeRevoked(connection, (id) => devices.find(id) !== undefined);
    },
    close() {
      cancel();
      look();
    },
  };
}

function closeRevoked(connection: Connection, isApproved: (deviceId: string) => boolean): void {
  const { deviceId } = connection.caller ?? {};
  if (deviceId !== undefined && !isApproved(deviceId)) connection.close(1008, 'device revoked');
}

function closeWithoutToken(connection: Connection, valid: ReadonlySet<string>): void {
  const { credential } = connection;
  if (credential !== undefined && !valid.has(credential)) connection.close(1008, 'token changed');
}
