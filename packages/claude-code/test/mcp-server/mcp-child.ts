/** The server as a process of its own, with the flags of the command. */
import { parseArgs } from 'node:util';
import { serveMcp } from '../../src/mcp-server/serve-mcp.ts';

const text = { type: 'string' } as const;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { repo: text, agent: text, 'state-dir': text, workspace: text, session: text },
});
if (positionals.join() !== 'mcp') throw new Error(`unknown command ${positionals}`);
const serving = await serveMcp({
  repoPath: values.repo ?? process.cwd(),
  agentId: values.agent,
  stateDir: values['state-dir'],
  workspace: values.workspace,
  sessionKey: values.session,
  onError: (error) => console.error(error.message),
});
await serving.closed;
