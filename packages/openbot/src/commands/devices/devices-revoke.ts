import { resolve } from 'node:path';
import { resolveStateDir } from '@openbot/sessions';
import { type CommandInput, writeJson } from '@openbot/sessions/command-line';
import { printable } from '@openbot/sessions/terminal-text';
import { revokeDevice } from '../../gateway-devices/devices.ts';
import { readDevice } from './devices-approve.ts';
import type { DEVICES_FLAGS } from './flags.ts';
import { noteChange } from './note-change.ts';

/** Ends what a device may do, and its connections. */
export async function devicesRevoke(input: CommandInput<typeof DEVICES_FLAGS>): Promise<void> {
  const { flags, env, terminal, words } = input;
  const stateDir = resolve(resolveStateDir({ flag: flags.stateDir, env }));
  const device = await revokeDevice(stateDir, readDevice(words[0]));
  const { deviceId, name, clientId } = device;
  if ('approvedAtMs' in device)
    await noteChange(stateDir, 'device.revoked', { id: deviceId }, (line) => terminal.say(`${line}\n`));
  if (flags.json) return writeJson(terminal, { deviceId, ...(name !== undefined && { name }) });
  terminal.say(`${printable(`Revoked ${name ?? clientId} (${deviceId})`)}\n`);
}
