import { declareCommands } from '@openbot/sessions/command-line';
import {
  GATEWAY_INSTALL_FLAGS,
  GATEWAY_LOGS_FLAGS,
  GATEWAY_RESTART_FLAGS,
  GATEWAY_RUN_FLAGS,
  GATEWAY_START_FLAGS,
  GATEWAY_STATUS_FLAGS,
  GATEWAY_STOP_FLAGS,
} from '../../commands/gateway/flags.ts';

const declare = declareCommands();

export const GATEWAY_COMMANDS = [
  declare({
    name: 'gateway run',
    summary: 'Run the gateway in the foreground',
    description: [
      `It runs the agents of the state folder, and clients connect to it: OpenClaw's own, and commands of openbot. Ctrl-C lets runs end
and stops it; a second Ctrl-C does not wait. SIGHUP reads the configuration again, which a change of the file does too.`,
    ],
    positionals: [],
    flags: GATEWAY_RUN_FLAGS,
    examples: [
      ['openbot gateway run', 'on this machine alone'],
      ['openbot gateway run --bind lan --port 19790', 'for other machines, on another port'],
    ],
    load: async () => (await import('../../commands/gateway/gateway-run.ts')).gatewayRun,
  }),
  declare({
    name: 'gateway start',
    summary: 'Start the gateway in the background',
    description: ['It waits until the gateway is ready. Where that fails, it shows the end of the log.'],
    positionals: [],
    flags: GATEWAY_START_FLAGS,
    examples: [['openbot gateway start', 'and wait until it is ready']],
    async results() {
      const { GATEWAY_START } = await import('../../commands/gateway/result-shapes.ts');
      return { 'openbot gateway start --json': GATEWAY_START };
    },
    load: async () => (await import('../../commands/gateway/gateway-start.ts')).gatewayStart,
  }),
  declare({
    name: 'gateway stop',
    summary: 'Stop the gateway',
    description: [
      'Runs may end within gateway.graceSeconds. What has no answer by then is recorded, and goes on with the next start.',
    ],
    positionals: [],
    flags: GATEWAY_STOP_FLAGS,
    examples: [['openbot gateway stop', 'let runs end first']],
    async results() {
      const { GATEWAY_STOP } = await import('../../commands/gateway/result-shapes.ts');
      return { 'openbot gateway stop --json': GATEWAY_STOP };
    },
    load: async () => (await import('../../commands/gateway/gateway-stop.ts')).gatewayStop,
  }),
  declare({
    name: 'gateway restart',
    summary: 'Stop the gateway, and start it',
    positionals: [],
    flags: GATEWAY_RESTART_FLAGS,
    examples: [['openbot gateway restart', 'as after an update']],
    async results() {
      const { GATEWAY_RESTART } = await import('../../commands/gateway/result-shapes.ts');
      return { 'openbot gateway restart --json': GATEWAY_RESTART };
    },
    load: async () => (await import('../../commands/gateway/gateway-restart.ts')).gatewayRestart,
  }),
  declare({
    name: 'gateway status',
    summary: 'Show whether the gateway runs and is ready',
    description: ['Exits with 1 where it runs and is not ready.'],
    positionals: [],
    flags: GATEWAY_STATUS_FLAGS,
    examples: [['openbot gateway status --json', 'process, port, clients, runs']],
    async results() {
      const { GATEWAY_STATUS_COMMAND } = await import('../../commands/gateway/result-shapes.ts');
      return { 'openbot gateway status --json': GATEWAY_STATUS_COMMAND };
    },
    load: async () => (await import('../../commands/gateway/gateway-status.ts')).gatewayStatus,
  }),
  declare({
    name: 'gateway logs',
    summary: 'Show the log of the gateway',
    positionals: [],
    flags: GATEWAY_LOGS_FLAGS,
    examples: [['openbot gateway logs --follow', 'go on with what is added']],
    async results() {
      const { GATEWAY_LOGS } = await import('../../commands/gateway/result-shapes.ts');
      return { 'openbot gateway logs --json': GATEWAY_LOGS };
    },
    load: async () => (await import('../../commands/gateway/gateway-logs.ts')).gatewayLogs,
  }),
  declare({
    name: 'gateway install',
    summary: 'Let systemd or launchd keep the gateway running',
    description: [
      `It writes a unit for your user, and says which commands let it take effect; it runs none of them. Variables with keys belong into
gateway.env of the state folder.`,
    ],
    positionals: [],
    flags: GATEWAY_INSTALL_FLAGS,
    examples: [['openbot gateway install --print', 'only show the unit']],
    async results() {
      const { GATEWAY_INSTALL } = await import('../../commands/gateway/result-shapes.ts');
      return { 'openbot gateway install --json': GATEWAY_INSTALL };
    },
    load: async () => (await import('../../commands/gateway/gateway-install.ts')).gatewayInstall,
  }),
];
