import { declareFlags } from '@openbot/sessions/command-line';
import { CHANNEL, JSON_OUTPUT, STATE_DIR } from '../flags.ts';

export const PAIRING_FLAGS = declareFlags({
  ...CHANNEL,
  account: { kind: 'text', value: 'id', example: 'work', help: 'Account of yours on the network' },
  ...STATE_DIR,
  ...JSON_OUTPUT,
});
