import { resolve } from 'node:path';
import { resolveStateDir } from '@openbot/sessions';
import { type CommandInput, writeJson } from '@openbot/sessions/command-line';
import { cutEnd, formatAge, layOutTable, printable } from '@openbot/sessions/terminal-text';
import type { ApprovedDevice, PendingDevice } from '../../gateway-devices/contract.ts';
import { listDevices } from '../../gateway-devices/devices.ts';
import type { DEVICES_FLAGS } from './flags.ts';

/** Enough to tell one from another. */
const ID_SHOWN = 12;

/** Lists the devices that may connect, and those that ask to. */
export async function devicesList({
  flags,
  env,
  terminal,
}: CommandInput<typeof DEVICES_FLAGS>): Promise<void> {
  const stateDir = resolve(resolveStateDir({ flag: flags.stateDir, env }));
  const now = Date.now();
  const { approved, pending } = await listDevices(stateDir, now);
  if (flags.json) return writeJson(terminal, { approved, pending });
  const all = [...pending, ...approved];
  if (all.length === 0) {
    terminal.say('No devices. One that asks to connect is listed here.\n');
    return;
  }
  const lines = layOutTable<ApprovedDevice | PendingDevice>(
    [
      { title: 'DEVICE', show: ({ deviceId }) => printable(deviceId.slice(0, ID_SHOWN)) },
      { title: 'STATE', show: (one) => ('requestId' in one ? 'waits' : 'approved') },
      {
        title: 'NAME',
        show: ({ name, clientId, platform }) =>
          printable([name ?? clientId, platform].filter((part) => part !== undefined).join(', ')),
        cut: cutEnd,
        least: 8,
      },
      {
        title: 'WHEN',
        show: (one) =>
          formatAge('requestId' in one ? one.requestedAtMs : (one.lastSeenAtMs ?? one.approvedAtMs), now),
      },
      {
        title: 'SCOPES',
        show: ({ scopes }) => printable(scopes.join(' ')),
        cut: cutEnd,
        least: 12,
        leave: 1,
      },
    ],
    all,
    terminal.maxLineWidth,
    (text) => terminal.palette.bold(text),
  );
  terminal.write(`${lines.join('\n')}\n`);
  if (pending.length > 0) terminal.say('To let one in: openbot devices approve <device>\n');
}
