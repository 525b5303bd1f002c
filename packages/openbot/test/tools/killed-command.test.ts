/** A command of the model, when openbot is killed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { afterTest } from '../../../../test/setup/cleaning.ts';
import { makeAgentBench } from '../setup/agent-process.ts';
import { lives, waitFor } from '../setup/command-bench.ts';
import { COMMAND } from '../setup/command-file.ts';

test('it is ended with all that it started', async () => {
  const bench = makeAgentBench();
  const command =
    'trap "" TERM; tail -f /dev/null & echo $$ $! > pids; tail -f /dev/null; echo never > after; tail -f /dev/null';
  bench.addScript('m', [{ steps: [{ tool: 'exec', args: { command } }] }]);
  bench.configure({
    agents: { defaults: { model: 'script/m' } },
    tools: { exec: { security: 'full', ask: 'off' } },
  });
  const child = spawn(process.execPath, [...COMMAND, 'agent', '-m', 'go'], {
    env: bench.env as NodeJS.ProcessEnv,
    stdio: 'ignore',
  });
  afterTest(() => void child.kill('SIGKILL'));
  const file = join(bench.stateDir, 'workspace', 'pids');
  const pids = await waitFor(
    () => 'the pids of the command',
    () => {
      const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
      return text.endsWith('\n') ? text.trim().split(' ').map(Number) : undefined;
    },
  );
  expect(pids.map(lives)).toEqual([true, true]);
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  expect(await exited).toEqual([null, 'SIGKILL']);
  for (const pid of pids)
    await waitFor(
      () => `the end of ${pid}`,
      () => !lives(pid) || undefined,
    );
});
