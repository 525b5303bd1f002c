import { declareCommands } from '@openbot/sessions/command-line';
import { AGENTS_ADD_FLAGS, AGENTS_LIST_FLAGS, AGENTS_REMOVE_FLAGS } from '../../commands/agents/flags.ts';

const declare = declareCommands();

export const AGENTS_COMMANDS = [
  declare({
    name: 'agents list',
    summary: 'List the agents, their models, sessions and bindings',
    positionals: [],
    flags: AGENTS_LIST_FLAGS,
    examples: [['openbot agents list --json', 'as JSON']],
    async results() {
      const { AGENTS_LIST } = await import('../../commands/agents/result-shapes.ts');
      return { 'openbot agents list --json': AGENTS_LIST };
    },
    load: async () => (await import('../../commands/agents/agents-list.ts')).agentsList,
  }),
  declare({
    name: 'agents add',
    summary: 'Add an agent, and make its folder',
    positionals: [{ name: 'id', required: true }],
    flags: AGENTS_ADD_FLAGS,
    examples: [
      ['openbot agents add ops --name Ops', 'with the model of all agents'],
      [
        'openbot agents add ada --model claude/sonnet --workspace ~/ada --default',
        'the one that answers from now on',
      ],
    ],
    async results() {
      const { AGENTS_ADD } = await import('../../commands/agents/result-shapes.ts');
      return { 'openbot agents add <id> --json': AGENTS_ADD };
    },
    load: async () => (await import('../../commands/agents/agents-add.ts')).agentsAdd,
  }),
  declare({
    name: 'agents remove',
    summary: 'Remove an agent and its bindings from the configuration',
    description: [
      'Its sessions and its folder stay, and the command says how to bring it back. Asks in a terminal; needs --yes without one.',
    ],
    positionals: [{ name: 'id', required: true, complete: 'agent' }],
    flags: AGENTS_REMOVE_FLAGS,
    examples: [['openbot agents remove ops --yes', 'without a question']],
    async results() {
      const { AGENTS_REMOVE } = await import('../../commands/agents/result-shapes.ts');
      return { 'openbot agents remove <id> --json': AGENTS_REMOVE };
    },
    load: async () => (await import('../../commands/agents/agents-remove.ts')).agentsRemove,
  }),
];
