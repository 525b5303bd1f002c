import { resolve } from 'node:path';
import { OpenBotError, resolveStateDir } from '@openbot/sessions';
import { type CommandInput, writeJson } from '@openbot/sessions/command-line';
import { printable } from '@openbot/sessions/terminal-text';
import { approveDevice } from '../../gateway-devices/devices.ts';
import type { DEVICES_FLAGS } from './flags.ts';
import { noteChange } from './note-change.ts';

/** Lets a device in that asked to connect. */
export async function devicesApprove(input: CommandInput<typeof DEVICES_FLAGS>): Promise<void> {
  const { flags, env, terminal, words } = input;
  const stateDir = resolve(resolveStateDir({ flag: flags.stateDir, env }));
  const device = await approveDevice(stateDir, readDevice(words[0]));
  const { name, clientId, deviceId, scopes } = device;
  const about = { id: deviceId, scopes: scopes.join() };
  await noteChange(stateDir, 'device.approved', about, (line) => terminal.say(`${line}\n`));
  if (flags.json) return writeJson(terminal, device);
  const approved = printable(`Approved ${name ?? clientId} (${deviceId}) for ${scopes.join(', ')}`);
  terminal.say(
    `${approved}\n  To take it back: openbot devices revoke ${printable(deviceId.slice(0, 12))}\n`,
  );
}

export function readDevice(word: string | undefined): string {
  if (word !== undefined && word.trim() !== '') return word;
  throw new OpenBotError('USAGE', 'Which device?', {
    hint: "Name it by its id or the beginning of it; 'openbot devices list' shows them",
  });
}
