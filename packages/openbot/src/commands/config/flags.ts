import { declareFlags } from '@openbot/sessions/command-line';
import { JSON_OUTPUT, STATE_DIR } from '../flags.ts';

export const PLACE_FLAGS = STATE_DIR;

export const CONFIG_FLAGS = declareFlags({ ...STATE_DIR, ...JSON_OUTPUT });

export const GET_FLAGS = declareFlags({
  showSecrets: { kind: 'boolean', help: 'Print secrets too, which are masked otherwise' },
  ...CONFIG_FLAGS,
});
