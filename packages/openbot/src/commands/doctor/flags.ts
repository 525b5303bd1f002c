import { declareFlags } from '@openbot/sessions/command-line';
import { JSON_OUTPUT, STATE_DIR } from '../flags.ts';

export const HEALTH_FLAGS = declareFlags({
  gateway: { kind: 'boolean', help: 'A gateway that does not run is a problem, whatever needs it' },
  ...STATE_DIR,
  ...JSON_OUTPUT,
});

export const DOCTOR_FLAGS = declareFlags({
  fix: { kind: 'boolean', help: 'Repair what can be repaired' },
  yes: { kind: 'boolean', help: 'Do not ask; needed without a terminal' },
  ...STATE_DIR,
  ...JSON_OUTPUT,
});
