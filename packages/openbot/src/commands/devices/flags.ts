import { declareFlags } from '@openbot/sessions/command-line';
import { JSON_OUTPUT, STATE_DIR } from '../flags.ts';

export const DEVICES_FLAGS = declareFlags({ ...STATE_DIR, ...JSON_OUTPUT });

export const DEVICE = { name: 'device', required: true } as const;
