import { declareCommands } from '@openbot/sessions/command-line';

const declare = declareCommands();

export const SHELL_COMMANDS = [
  declare({
    name: 'complete',
    hidden: true,
    summary: 'List agents, sessions, models, settings or channels; started by the completion of a shell',
    positionals: [{ name: 'what' }, { name: 'words', many: true }],
    flags: {},
    examples: [],
    load: async () => (await import('../../commands/shell/complete.ts')).complete,
  }),
  declare({
    name: 'agent-host',
    hidden: true,
    summary: 'Run the agents of a state folder; started by the gateway',
    positionals: [{ name: 'words', many: true }],
    flags: {},
    examples: [],
    load: async () => (await import('../../commands/agent-host/agent-host.ts')).agentHost,
  }),
  declare({
    name: 'gateway-worker',
    hidden: true,
    summary: 'Do what would hold up the gateway; started by it',
    positionals: [{ name: 'words', many: true }],
    flags: {},
    examples: [],
    load: async () => (await import('../../commands/gateway-worker/gateway-worker.ts')).gatewayWorker,
  }),
];
