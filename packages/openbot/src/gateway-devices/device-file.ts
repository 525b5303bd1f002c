import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { OpenBotError } from '@openbot/sessions';
import { withLock, writeFileAtomic } from '@openbot/sessions/disk';
import type { ApprovedDevice, PendingDevice } from './contract.ts';

/** With the SHA-256 of its tokens, the newest first. A token itself is told once and kept nowhere. */
export interface KeptDevice extends ApprovedDevice {
  readonly tokenHashes: readonly string[];
}

export interface DeviceFile {
  readonly version: 1;
  /** By device id. */
  readonly devices: Readonly<Record<string, KeptDevice>>;
  /** By device id: a device that asks again takes the place of its former request. */
  readonly pending: Readonly<Record<string, PendingDevice>>;
}

export const NO_DEVICES: DeviceFile = { version: 1, devices: {}, pending: {} };

export function devicesPathOf(stateDir: string): string {
  return join(stateDir, 'gateway-devices.json');
}

/** What changes with the content of the file. */
export function stampOfDevices(stateDir: string): string {
  const stats = statSync(devicesPathOf(stateDir), { throwIfNoEntry: false, bigint: true });
  return stats === undefined ? 'none' : `${stats.ino}:${stats.size}:${stats.mtimeNs}`;
}

/** Throws DEVICES_UNREADABLE: a list that cannot be read lets no device in. */
export function readDevices(stateDir: string): DeviceFile {
  const path = devicesPathOf(stateDir);
  try {
    const file = JSON.parse(readFileSync(path, 'utf8')) as DeviceFile;
    if (file.version !== 1 || typeof file.devices !== 'object' || typeof file.pending !== 'object')
      throw new Error('it is not a list of devices');
    return file;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return NO_DEVICES;
    throw new OpenBotError('DEVICES_UNREADABLE', `Cannot read ${path}: ${(error as Error).message}`, {
      hint: 'Move the file away; devices then ask for approval again.',
      cause: error,
    });
  }
}

/** Changes the file under its lock. What `change` returns beside the new content is the result. */
export function changeDevices<T>(
  stateDir: string,
  change: (file: DeviceFile) => { readonly file: DeviceFile; readonly result: T },
): Promise<T> {
  const path = devicesPathOf(stateDir);
  return withLock(`${path}.lock`, {}, async () => {
    const before = readDevices(stateDir);
    const { file, result } = change(before);
    if (file !== before) await writeFileAtomic(path, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600 });
    return result;
  });
}
