import { declareFlags } from '@openbot/sessions/command-line';
import { LOCAL } from '../flags.ts';
import { PLACE_FLAGS } from '../sessions/flags.ts';

export const SET_FLAGS = declareFlags({
  unset: {
    kind: 'text',
    value: 'names',
    example: 'think,model',
    help: 'Settings to remove, so that those of the agent hold again',
  },
  ...LOCAL,
  ...PLACE_FLAGS,
});
