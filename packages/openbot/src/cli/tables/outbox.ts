import { declareCommands } from '@openbot/sessions/command-line';
import {
  LETTERS,
  OUTBOX_DROP_FLAGS,
  OUTBOX_LIST_FLAGS,
  OUTBOX_RETRY_FLAGS,
} from '../../commands/outbox/flags.ts';

const declare = declareCommands();

export const OUTBOX_COMMANDS = [
  declare({
    name: 'outbox list',
    summary: 'List replies that could not be sent',
    description: [
      `A reply that could not be sent for 24 hours, or that a network refused for good, is a dead letter. It stays in the
outbox and is not tried again by itself.`,
    ],
    positionals: [],
    flags: OUTBOX_LIST_FLAGS,
    examples: [
      ['openbot outbox list', 'the dead letters'],
      ['openbot outbox list --all --json', 'also those that wait, as JSON'],
    ],
    async results() {
      const { OUTBOX_LIST } = await import('../../commands/outbox/result-shapes.ts');
      return { 'openbot outbox list --json': OUTBOX_LIST };
    },
    load: async () => (await import('../../commands/outbox/outbox-list.ts')).outboxList,
  }),
  declare({
    name: 'outbox retry',
    summary: 'Send dead letters after all',
    description: ['They are sent by the process that has their channel, now or when it starts.'],
    positionals: [LETTERS],
    flags: OUTBOX_RETRY_FLAGS,
    examples: [
      ['openbot outbox retry 12 14', 'these two'],
      ['openbot outbox retry --all', 'all of them'],
    ],
    async results() {
      const { OUTBOX_RETRY } = await import('../../commands/outbox/result-shapes.ts');
      return { 'openbot outbox retry --json': OUTBOX_RETRY };
    },
    load: async () => (await import('../../commands/outbox/outbox-retry.ts')).outboxRetry,
  }),
  declare({
    name: 'outbox drop',
    summary: 'Remove letters for good',
    description: [
      `Ids may be those of dead letters and of letters that wait to be sent; --all means the dead ones. The conversation is
not changed: its transcript has what was said.`,
    ],
    positionals: [LETTERS],
    flags: OUTBOX_DROP_FLAGS,
    examples: [
      ['openbot outbox drop 12', 'asks first'],
      ['openbot outbox drop --all --yes', 'does not ask'],
    ],
    async results() {
      const { OUTBOX_DROP } = await import('../../commands/outbox/result-shapes.ts');
      return { 'openbot outbox drop --json': OUTBOX_DROP };
    },
    load: async () => (await import('../../commands/outbox/outbox-drop.ts')).outboxDrop,
  }),
];
