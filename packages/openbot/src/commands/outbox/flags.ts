import { declareFlags } from '@openbot/sessions/command-line';
import { JSON_OUTPUT, LIMIT, LOCAL, STATE_DIR } from '../flags.ts';

export const LETTERS = { name: 'id', many: true } as const;

export const OUTBOX_LIST_FLAGS = declareFlags({
  all: { kind: 'boolean', help: 'Also those that still wait to be sent' },
  limit: { ...LIMIT.limit, help: 'Show at most this many. Default: 50' },
  ...STATE_DIR,
  ...JSON_OUTPUT,
});

const CHANGE_FLAGS = declareFlags({
  all: { kind: 'boolean', help: 'All dead letters' },
  ...LOCAL,
  ...STATE_DIR,
  ...JSON_OUTPUT,
});

export const OUTBOX_RETRY_FLAGS = CHANGE_FLAGS;

export const OUTBOX_DROP_FLAGS = declareFlags({
  ...CHANGE_FLAGS,
  yes: { kind: 'boolean', help: 'Do not ask; needed without a terminal' },
});
