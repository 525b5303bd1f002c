import { declareFlags } from '@openbot/sessions/command-line';
import { REPO } from '../cc/flags.ts';
import { AGENT, STATE_DIR } from '../flags.ts';

export const MCP_FLAGS = declareFlags({
  repo: { ...REPO.repo, help: 'The repository. Default: CLAUDE_PROJECT_DIR, or the current folder' },
  ...STATE_DIR,
  ...AGENT,
  workspace: {
    kind: 'path',
    value: 'path',
    example: '~/.openbot/workspace',
    help: "The agent's workspace, the folder of memory/*.md",
  },
  session: {
    kind: 'text',
    value: 'key',
    example: 'agent:main:main',
    help: 'The only conversation that may be read. Default: any',
  },
});
