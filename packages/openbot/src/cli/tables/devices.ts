import { declareCommands } from '@openbot/sessions/command-line';
import { DEVICE, DEVICES_FLAGS } from '../../commands/devices/flags.ts';

const declare = declareCommands();

export const DEVICES_COMMANDS = [
  declare({
    name: 'devices list',
    summary: 'List the devices that may connect to the gateway, and those that ask to',
    positionals: [],
    flags: DEVICES_FLAGS,
    examples: [['openbot devices list', 'those that wait come first']],
    async results() {
      const { DEVICES_LIST } = await import('../../commands/devices/result-shapes.ts');
      return { 'openbot devices list --json': DEVICES_LIST };
    },
    load: async () => (await import('../../commands/devices/devices-list.ts')).devicesList,
  }),
  declare({
    name: 'devices approve',
    summary: 'Let a device in that asked to connect',
    description: ['A device is named by its id, by that of its request, or by the beginning of either.'],
    positionals: [DEVICE],
    flags: DEVICES_FLAGS,
    examples: [['openbot devices approve 3f2a9c81', 'the one whose id begins so']],
    async results() {
      const { DEVICES_APPROVE } = await import('../../commands/devices/result-shapes.ts');
      return { 'openbot devices approve <device> --json': DEVICES_APPROVE };
    },
    load: async () => (await import('../../commands/devices/devices-approve.ts')).devicesApprove,
  }),
  declare({
    name: 'devices revoke',
    summary: 'Let a device in no longer, and end its connections',
    positionals: [DEVICE],
    flags: DEVICES_FLAGS,
    examples: [['openbot devices revoke 3f2a9c81', 'also one that only asked']],
    async results() {
      const { DEVICES_REVOKE } = await import('../../commands/devices/result-shapes.ts');
      return { 'openbot devices revoke <device> --json': DEVICES_REVOKE };
    },
    load: async () => (await import('../../commands/devices/devices-revoke.ts')).devicesRevoke,
  }),
];
