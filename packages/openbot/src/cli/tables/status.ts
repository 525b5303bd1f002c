import { declareCommands } from '@openbot/sessions/command-line';
import { DOCTOR_FLAGS, HEALTH_FLAGS } from '../../commands/doctor/flags.ts';
import { STATUS_FLAGS } from '../../commands/status/flags.ts';

const declare = declareCommands();

export const STATUS_COMMANDS = [
  declare({
    name: 'status',
    summary: 'Show agents, sessions, queue, channels and models at a glance',
    description: [
      `It reads the state folder of openbot or OpenClaw and changes nothing. Of credentials it says whether they are
there, never what they are.`,
    ],
    positionals: [],
    flags: STATUS_FLAGS,
    examples: [
      ['openbot status', 'at a glance'],
      ['openbot status --all', 'with all sessions, stores and dead letters'],
      ['openbot status --deep --json', 'look into the databases too, print JSON'],
    ],
    async results() {
      const { STATUS } = await import('../../commands/status/result-shapes.ts');
      return { 'openbot status --json': STATUS };
    },
    load: async () => (await import('../../commands/status/status.ts')).status,
  }),
  declare({
    name: 'health',
    summary: 'Say whether everything works, the gateway too; exit code 1 where it does not',
    description: [
      `Quick checks only, for scripts and monitors. They change nothing. The gateway is ready, not ready (a part of it does
not work, or a step has failed five times in a row), not answering, starting or not running.`,
      `Exit codes: 0 where no check found a problem and the gateway is ready, or none runs and nothing in the configuration
needs one; 1 where a check found a problem, the gateway runs and is not ready, or none runs and a channel or a heartbeat
needs it. With --gateway a gateway that does not run is always a problem. 2 for wrong use.`,
    ],
    positionals: [],
    flags: HEALTH_FLAGS,
    examples: [
      ['openbot health || openbot doctor', 'look closer where something is wrong'],
      ['openbot health --gateway', 'for a monitor of the gateway'],
    ],
    async results() {
      const { HEALTH } = await import('../../commands/doctor/result-shapes.ts');
      return { 'openbot health --json': HEALTH };
    },
    load: async () => (await import('../../commands/doctor/health.ts')).health,
  }),
  declare({
    name: 'doctor',
    summary: 'Look for what is wrong, and repair it with --fix',
    description: [
      `Each check says what it found and what can be done. Without --fix nothing is changed. A fix loses nothing: what is
in the way is moved to moved-aside/ of the state folder, and every byte of a conversation stays. In the folder of an
OpenClaw nothing is changed.`,
    ],
    positionals: [],
    flags: DOCTOR_FLAGS,
    examples: [
      ['openbot doctor', 'look, and change nothing'],
      ['openbot doctor --fix', 'repair what can be repaired; asks first'],
    ],
    async results() {
      const { DOCTOR } = await import('../../commands/doctor/result-shapes.ts');
      return { 'openbot doctor --json': DOCTOR };
    },
    load: async () => (await import('../../commands/doctor/doctor.ts')).doctor,
  }),
];
