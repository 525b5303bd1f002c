/** The devices as a running gateway uses them. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { networkOf } from '../gateway-protocol/network-of.ts';
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
const MOST_PENDING_OF_NETWORK = 10;
const SEEN_EVERY_MS = 10 * 60_000;

export interface DeviceBook {
  /** As the file has it now. */
  find(deviceId: string): KeptDevice | undefined;
  list(): readonly KeptDevice[];
  findByToken(token: string): KeptDevice | undefined;
  hasToken(device: KeptDevice, token: string): boolean;
  /** Undefined when too many devices wait. The same device with the same wish has one request. */
  request(
    facts: DeviceFacts,
    scopes: readonly string[],
    address: string,
  ): Promise<{ readonly pending: PendingDevice; readonly isNew: boolean } | undefined>;
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

  const findPlace = (
    { pending }: DeviceFile,
    deviceId: string,
    scopes: readonly string[],
    address: string,
  ) => {
    const fresh = Object.entries(pending).filter(([, one]) => isFresh(one, now()));
    const others = Object.fromEntries(fresh);
    const former = ownOf(others, deviceId);
    if (former !== undefined && isSame(former.scopes, scopes))
      return { kind: 'known', pending: former, isNew: false } as const;
    const network = networkOf(address);
    const ofNetwork = fresh.filter(([, one]) => networkOf(one.address ?? '') === network).length;
    const isFull = fresh.length >= MOST_PENDING || ofNetwork >= MOST_PENDING_OF_NETWORK;
    if (former === undefined && isFull) return { kind: 'full' } as const;
    return { kind: 'free', others } as const;
  };

  return {
    find: (deviceId) => ownOf(read().devices, deviceId),
    list: () => Object.values(read().devices),
    findByToken: (token) => {
      const hash = hashOf(token);
      return Object.values(read().devices).find(({ tokenHashes }) => tokenHashes.includes(hash));
    },
    hasToken: ({ tokenHashes }, token) => tokenHashes.includes(hashOf(token)),
    request: async (facts, scopes, address) => {
      // A device that asks again and again, and those that find no place, cost no lock and no write.
      const early = findPlace(read(), facts.deviceId, scopes, address);
      if (early.kind !== 'free') return early.kind === 'known' ? early : undefined;
      return changeDevices<Awaited<ReturnType<DeviceBook['request']>>>(stateDir, (before) => {
        const place = findPlace(before, facts.deviceId, scopes, address);
        if (place.kind !== 'free')
          return { file: before, result: place.kind === 'known' ? place : undefined };
        const asked = { ...facts, requestId: randomUUID(), scopes, address, requestedAtMs: now() };
        return {
          file: { ...before, pending: { ...place.others, [facts.deviceId]: asked } },
          result: { pending: asked, isNew: true },
        };
      });
    },
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
