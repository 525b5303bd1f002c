import type { Clock } from '../clock.ts';
import type { DeviceBook } from '../gateway-devices/device-book.ts';
import { listCredentials } from './admission/credentials.ts';
import type { AuditLog } from './audit-log.ts';
import type { GatewaySettings } from './settings.ts';
import type { Connections } from './sockets/connections.ts';

const LOOK_MS = 1_000;

/** Closes connections whose token or device is not valid any more. Returns the function that ends it. */
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
}): () => void {
  let known: ReadonlyMap<string, string> | undefined;
  const lookAtDevices = () => {
    const before = known;
    known = new Map(devices.list().map(({ deviceId, scopes }) => [deviceId, scopes.join()]));
    for (const connection of connections.open) {
      const { deviceId } = connection.caller!;
      if (deviceId !== undefined && !known.has(deviceId)) connection.close(1008, 'device revoked');
    }
    if (before === undefined) return;
    // Also those of other processes, such as commands.
    for (const [id, scopes] of known)
      if (before.get(id) !== scopes) audit.note('device.approved', { id, scopes });
    for (const id of before.keys()) if (!known.has(id)) audit.note('device.revoked', { id });
  };
  const lookAtTokens = () => {
    const valid = listCredentials(settings());
    for (const connection of connections.open) {
      const { credential } = connection;
      if (credential !== undefined && !valid.has(credential)) connection.close(1008, 'token changed');
    }
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
  return () => {
    cancel();
    look();
  };
}
