import { declareCommands } from '@openbot/sessions/command-line';
import { PAIRING_FLAGS } from '../../commands/pairing/flags.ts';

const declare = declareCommands();

const CHANNEL_WORD = { name: 'channel' } as const;

export const PAIRING_COMMANDS = [
  declare({
    name: 'pairing list',
    summary: 'List the people who ask to be let in on a chat network, and those who were',
    description: [
      'A request expires after an hour. Names are those that people gave themselves: ids decide.',
    ],
    positionals: [CHANNEL_WORD],
    flags: PAIRING_FLAGS,
    examples: [['openbot pairing list telegram', 'those who ask come first']],
    async results() {
      const { PAIRING_LIST } = await import('../../commands/pairing/result-shapes.ts');
      return { 'openbot pairing list --json': PAIRING_LIST };
    },
    load: async () => (await import('../../commands/pairing/pairing-list.ts')).pairingList,
  }),
  declare({
    name: 'pairing approve',
    summary: 'Let a person in who asked, and tell them',
    description: [
      'They may then talk in direct messages. It gives no rights in groups, and none to give commands: those come from allowFrom.',
      'What they wrote before is not answered later.',
    ],
    positionals: [CHANNEL_WORD, { name: 'code' }],
    flags: PAIRING_FLAGS,
    examples: [
      ['openbot pairing approve telegram H7K2M9QX', 'the code is what the person was told'],
      ['openbot pairing approve H7K2M9QX', 'the code alone will do'],
    ],
    async results() {
      const { PAIRING_APPROVE } = await import('../../commands/pairing/result-shapes.ts');
      return { 'openbot pairing approve <channel> <code> --json': PAIRING_APPROVE };
    },
    load: async () => (await import('../../commands/pairing/pairing-approve.ts')).pairingApprove,
  }),
  declare({
    name: 'pairing deny',
    summary: 'Refuse a person who asked to be let in',
    description: ['They hear nothing of it, and can ask again when their request would have expired.'],
    positionals: [CHANNEL_WORD, { name: 'code' }],
    flags: PAIRING_FLAGS,
    examples: [['openbot pairing deny telegram H7K2M9QX', 'nothing is sent']],
    async results() {
      const { PAIRING_CHANGE } = await import('../../commands/pairing/result-shapes.ts');
      return { 'openbot pairing deny <channel> <code> --json': PAIRING_CHANGE };
    },
    load: async () => (await import('../../commands/pairing/pairing-deny.ts')).pairingDeny,
  }),
  declare({
    name: 'pairing revoke',
    summary: 'Take back that a person was let in',
    positionals: [CHANNEL_WORD, { name: 'id' }],
    flags: PAIRING_FLAGS,
    examples: [['openbot pairing revoke telegram 777', 'holds from the next message on']],
    async results() {
      const { PAIRING_CHANGE } = await import('../../commands/pairing/result-shapes.ts');
      return { 'openbot pairing revoke <channel> <id> --json': PAIRING_CHANGE };
    },
    load: async () => (await import('../../commands/pairing/pairing-revoke.ts')).pairingRevoke,
  }),
];
