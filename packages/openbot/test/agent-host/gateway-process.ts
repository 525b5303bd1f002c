/** A gateway as far as the host is concerned, in a process that is killed. Tells its parent the pid of the host. */
import { openAgentHost } from '../../src/agent-host/agent-host.ts';
import { openState } from '../../src/state/open-state.ts';
import { clientMessage } from './client-message.ts';

const [stateDir = '', text = ''] = process.argv.slice(2);
const state = await openState(stateDir);
const host = openAgentHost({
  stateDir,
  env: process.env,
  config: {},
  inbox: state.inbox,
  log: (line) => process.send?.({ line }),
});
host.onEvent((event) => {
  const { phase } = host.status;
  if (event.type === 'event' && event.event.type === 'text' && phase.at === 'up')
    process.send?.({ pid: phase.pid });
});
await host.calls.accept(clientMessage('m1', text));
