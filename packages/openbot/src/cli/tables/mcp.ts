import { declareCommands } from '@openbot/sessions/command-line';
import { MCP_FLAGS } from '../../commands/mcp/flags.ts';

const declare = declareCommands();

export const MCP_COMMANDS = [
  declare({
    name: 'mcp',
    summary: 'Serve tools to an MCP client over stdio',
    description: [
      'The tools read the state of the project, its sessions, and conversations and notes of the agent.',
    ],
    positionals: [],
    flags: MCP_FLAGS,
    examples: [['claude mcp add openbot -- openbot mcp', 'add the tools to Claude Code']],
    load: async () => (await import('../../commands/mcp/mcp.ts')).mcp,
  }),
];
