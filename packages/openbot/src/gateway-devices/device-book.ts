/** The devices as a running gateway uses them. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { DeviceFacts, PendingDevice } from './contract.ts';
import {
  changeDevices,
  type DeviceFile,
  type KeptDevice,
  NO_DEVICES,
  readDevices,
  stampOfDevices,
} from './device-file.ts';
import { isFresh } from './devices.ts';

/** Several programs may share the key of a device, each with the token that it was told. */
const TOKENS_PER_DEVICE = 8;
/** Devices that are not approved can ask, so that what they ask for has an end. */
const MOST_PENDING = 50;
const MOST_PENDING_OF_ADDRESS = 10;
const SEEN_EVERY_MS = 10 * 60_000;

export interface DeviceBook {
  /** As the file has it now. */
  find(deviceId: string): KeptDevice | undefined;
  list(): readonly KeptDevice[];
  findByToken(token: string): KeptDevice | undefined;
  hasToken(device: KeptDevice, token: string): boolean;
  /** Undefined when too many devices wait. */
  request(
    facts: DeviceFacts,
    scopes: readonly string[],
    address: string | undefined,
  ): Promise<PendingDevice | undefined>;
  /** Approves it for these scopes beside those that it has. */
  approve(facts: DeviceFacts, scopes: readonly string[]): Promise<void>;
  /** A new token, of 43 characters; undefined for a device that is not approved any more. */
  issueToken(deviceId: string): Promise<string | undefined>;
  noteSeen(deviceId: string): Promise<void>;
  /** Whether the file is another one than at the last call. */
  hasChanged(): boolean;
}

export function openDeviceBook(stateDir: string, now: () => number): DeviceBook {
  let file = NO_DEVICES;
  let stamp = '';
  let lookedAt = '';
  const read = (): DeviceFile => {
    const present = stampOfDevices(stateDir);
    if (present !== stamp) {
      file = readDevices(stateDir);
      stamp = present;
    }
    return file;
  };
  const changeDevice = (deviceId: string, change: (device: KeptDevice) => KeptDevice) =>
    changeDevices(stateDir, (before) => {
      const device = ownOf(before.devices, deviceId);
      if (device === undefined) return { file: before, result: false };
      const devices = { ...before.devices, [deviceId]: change(device) };
      return { file: { ...before, devices }, result: true };
    });

  return {
    find: (deviceId) => ownOf(read().devices, deviceId),
    list: () => Object.values(read().devices),
    findByToken: (token) => {
      const hash = hashOf(token);
      return Object.values(read().devices).find(({ tokenHashes }) => tokenHashes.includes(hash));
    },
    hasToken: ({ tokenHashes }, token) => tokenHashes.includes(hashOf(token)),
    request: (facts, scopes, address) =>
      changeDevices(stateDir, (before) => {
        const fresh = Object.entries(before.pending).filter(([, one]) => isFresh(one, now()));
        const pending = Object.fromEntries(fresh);
        const former = ownOf(pending, facts.deviceId);
        if (former !== undefined && isSame(former.scopes, scopes)) return { file: before, result: former };
        const ofAddress = fresh.filter(([, one]) => one.address === address).length;
        const isFull = fresh.length >= MOST_PENDING || ofAddress >= MOST_PENDING_OF_ADDRESS;
        if (former === undefined && isFull) return { file: before, result: undefined };
        const asked = { ...facts, requestId: randomUUID(), scopes, address, requestedAtMs: now() };
        return { file: { ...before, pending: { ...pending, [facts.deviceId]: asked } }, result: asked };
      }),
    approve: (facts, scopes) =>
      changeDevices(stateDir, (before) => {
        const former = ownOf(before.devices, facts.deviceId);
        const device: KeptDevice = {
          ...facts,
          scopes: [...new Set([...(former?.scopes ?? []), ...scopes])],
          approvedAtMs: former?.approvedAtMs ?? now(),
          lastSeenAtMs: now(),
          tokenHashes: former?.tokenHashes ?? [],
        };
        const { [facts.deviceId]: _, ...pending } = before.pending;
        const devices = { ...before.devices, [facts.deviceId]: device };
        return { file: { ...before, devices, pending }, result: undefined };
      }),
    issueToken: async (deviceId) => {
      const token = randomBytes(32).toString('base64url');
      const isKept = await changeDevice(deviceId, (device) => ({
        ...device,
        lastSeenAtMs: now(),
        tokenHashes: [hashOf(token), ...device.tokenHashes].slice(0, TOKENS_PER_DEVICE),
      }));
      return isKept ? token : undefined;
    },
    noteSeen: async (deviceId) => {
      const seen = ownOf(read().devices, deviceId)?.lastSeenAtMs ?? 0;
      if (now() - seen < SEEN_EVERY_MS) return;
      await changeDevice(deviceId, (device) => ({ ...device, lastSeenAtMs: now() }));
    },
    hasChanged: () => {
      const present = stampOfDevices(stateDir);
      const isOther = present !== lookedAt;
      lookedAt = present;
      return isOther;
    },
  };
}

/** Of random bytes, so that it needs no salt; a lookup by it says nothing of the token to one who measures time. */
function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Ids come from clients: `constructor` is one that no device has. */
function ownOf<T>(all: Readonly<Record<string, T>>, id: string): T | undefined {
  return Object.hasOwn(all, id) ? all[id] : undefined;
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((scope) => other.includes(scope));
}
