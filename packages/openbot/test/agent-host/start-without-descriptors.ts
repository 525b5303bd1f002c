/** What starts processes, without a descriptor and with one. Prints what becomes of each. */
import { withoutDescriptors } from '../../../../test/setup/without-descriptors.ts';
import { openAgentHost } from '../../src/agent-host/agent-host.ts';
import { openPaged } from '../../src/commands/history/pager.ts';
import { openWorker } from '../../src/gateway-worker/worker.ts';
import { openState } from '../../src/state/open-state.ts';
import { runCommand } from '../../src/tools/exec/run-command.ts';

const [stateDir = ''] = process.argv.slice(2);
const { env } = process;
const log = () => {};
const { inbox } = await openState(stateDir);
const host = openAgentHost({
  ...{ stateDir, env, config: {}, inbox, log },
  limits: { restart: { firstMs: 1, mostMs: 50 } },
});
const worker = openWorker({ stateDir, env, log });
const signal = new AbortController().signal;

async function untilHostIs(wanted: string) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = () => host.status.phase.at === wanted && resolve();
  const forget = host.onStatus(look);
  look();
  await promise.finally(forget);
  return host.status.phase;
}

/** A long text; less is not there to be started. */
async function page(): Promise<string> {
  let shown = '';
  const terminal = { isTerminal: true, eraseProgress() {}, write: (text: string) => (shown += text) };
  const output = openPaged({ env: { PAGER: 'sh -c "exit 127"' }, terminal } as never);
  await output.write('line\n'.repeat(1000));
  await output.end();
  return `${shown.length} characters`;
}

const start = async (hostPhase: string) => {
  host.warm();
  const attempts = [
    untilHostIs(hostPhase),
    worker.run('context', { path: `${stateDir}/none.jsonl` }),
    runCommand({ command: 'exit 7', cwd: '/', env: {}, timeoutMs: 60_000, signal }),
    page(),
  ];
  const ends = await Promise.allSettled<unknown>(attempts);
  return ends.map((end) => (end.status === 'fulfilled' ? end.value : (end.reason as Error).message));
};
console.log(JSON.stringify([await withoutDescriptors(() => start('down')), await start('up')]));
await host.close(0);
await worker.close(0);
process.exit();
