/** Devices that may connect to the gateway of a state folder, as their owner sees and changes them. */
import { OpenBotError } from '@openbot/sessions';
import type { ApprovedDevice, DeviceList, PendingDevice } from './contract.ts';
import { changeDevices, type KeptDevice, readDevices } from './device-file.ts';

/** A request that was not approved for so long is forgotten. */
const PENDING_MS = 60 * 60_000;

export async function listDevices(stateDir: string, now: number = Date.now()): Promise<DeviceList> {
  const { devices, pending } = readDevices(stateDir);
  return {
    approved: Object.values(devices).map(withoutTokens),
    pending: Object.values(pending).filter((one) => isFresh(one, now)),
  };
}

/** @param name an id of a request or of its device, or the beginning of one that no other has. Throws DEVICE_NOT_FOUND. */
export function approveDevice(
  stateDir: string,
  name: string,
  now: number = Date.now(),
): Promise<ApprovedDevice> {
  return changeDevices(stateDir, (file) => {
    const requests = Object.values(file.pending).filter((one) => isFresh(one, now));
    const asked = findOne(requests, name, (one) => [one.requestId, one.deviceId], 'waits for approval');
    const { requestId: _, requestedAtMs: __, address: ___, ...facts } = asked;
    const former = file.devices[asked.deviceId];
    const device: KeptDevice = {
      ...facts,
      scopes: [...new Set([...(former?.scopes ?? []), ...asked.scopes])],
      approvedAtMs: now,
      tokenHashes: former?.tokenHashes ?? [],
    };
    const { [asked.deviceId]: ____, ...pending } = file.pending;
    return {
      file: { ...file, devices: { ...file.devices, [asked.deviceId]: device }, pending },
      result: withoutTokens(device),
    };
  });
}

/** Ends its connections, too: a running gateway looks at the file. A request that waits is refused. Throws DEVICE_NOT_FOUND. */
export function revokeDevice(stateDir: string, name: string): Promise<ApprovedDevice | PendingDevice> {
  return changeDevices(stateDir, (file) => {
    const all = [...Object.values(file.devices).map(withoutTokens), ...Object.values(file.pending)];
    const found = findOne(
      all,
      name,
      (one) => [one.deviceId, ...('requestId' in one ? [one.requestId] : [])],
      'is known',
    );
    const { [found.deviceId]: _, ...devices } = file.devices;
    const { [found.deviceId]: __, ...pending } = file.pending;
    return { file: { ...file, devices, pending }, result: found };
  });
}

export function isFresh({ requestedAtMs }: PendingDevice, now: number): boolean {
  return now - requestedAtMs < PENDING_MS;
}

function withoutTokens({ tokenHashes: _, ...device }: KeptDevice): ApprovedDevice {
  return device;
}

/** The same device may be in the list twice: approved, and asking for more. */
function findOne<T extends { readonly deviceId: string }>(
  all: readonly T[],
  name: string,
  idsOf: (one: T) => readonly string[],
  state: string,
): T {
  const wanted = name.trim();
  const those =
    wanted === '' ? [] : all.filter((one) => idsOf(one).some((id) => id === wanted || id.startsWith(wanted)));
  const [found] = those;
  if (found === undefined || those.some(({ deviceId }) => deviceId !== found.deviceId)) {
    const many = found === undefined ? 'No device' : 'More than one device';
    throw new OpenBotError('DEVICE_NOT_FOUND', `${many} "${wanted}" ${state}`, {
      hint: 'To see the ids of all devices: openbot devices list',
    });
  }
  return found;
}
