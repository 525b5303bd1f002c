/** What `openbot agent` asks in a terminal, and what happens without one. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { afterTest } from '../../../../test/setup/cleaning.ts';
import { makeAgentBench } from '../setup/agent-process.ts';
import { lives } from '../setup/command-bench.ts';
import { noTerminal, spawnInTerminal, waitFor } from '../setup/terminal-command.ts';

function open(exec: object = { security: 'allowlist' }, permissions: object = {}) {
  const bench = makeAgentBench();
  bench.configure({ agents: { defaults: { model: 'script/asks', permissions } }, tools: { exec } });
  bench.addScript('asks', [
    {
      steps: [{ tool: 'exec', args: { command: 'touch made' } }, { text: 'Result: {{result}}' }],
    },
  ]);
  const isMade = () => existsSync(join(bench.stateDir, 'workspace/made'));
  const start = (args: readonly string[], redirection?: string) => {
    const command = spawnInTerminal(['agent', ...args], { cwd: bench.folder, env: bench.env, redirection });
    afterTest(() => void command.child.kill('SIGKILL'));
    return command;
  };
  return { bench, isMade, start };
}

const QUESTION = /│ command: touch made\r?\n[\s\S]*Allow exec\? \[y\/N\] /;

describe.skipIf(noTerminal !== undefined)(`in a terminal ${noTerminal ?? ''}`, () => {
  test.each([
    ['y', true, 'Command exited with code 0'],
    ['n', false, 'The person said no.'],
  ])('%s is the answer', async (key, isAllowed, result) => {
    const { isMade, start } = open();
    const run = start(['-m', 'make it']);
    await run.shows(QUESTION);
    expect(isMade()).toBe(false);
    run.child.stdin!.write(`${key}\r`);
    const { code, stdout } = await run.ended;
    expect([code, isMade()]).toEqual([0, isAllowed]);
    expect(stdout).toContain(result);
  });

  test('a message from standard input is asked about at the terminal itself', async () => {
    const { bench, isMade, start } = open();
    const run = start(['-m', '-'], `< ${join(bench.stateDir, 'openbot.json')}`);
    await run.shows(QUESTION);
    run.child.stdin!.write('y\r');
    const { code } = await run.ended;
    expect([code, isMade()]).toEqual([0, true]);
  });

  test('Ctrl-C at the question ends the run', async () => {
    const { isMade, start } = open();
    const run = start(['-m', 'make it']);
    await run.shows(QUESTION);
    run.child.stdin!.write('\x03');
    const { stdout } = await run.ended;
    expect(stdout).toContain('Aborted.');
    expect(isMade()).toBe(false);
  });

  test('without an answer in time it is denied', async () => {
    const { isMade, start } = open({ security: 'allowlist' }, { timeoutSeconds: 1 });
    const run = start(['-m', 'make it']);
    const { code, stdout } = await run.ended;
    expect([code, isMade()]).toEqual([0, false]);
    expect(stdout).toContain('No answer came in time: it is not allowed.');
    expect(stdout).toContain('The person did not answer within 1 second');
  });
});

test('without a terminal it is denied, and the reason is given', async () => {
  const { bench, isMade } = open();
  const { code, stdout } = await bench.agent(['-m', 'make it']);
  expect([code, isMade()]).toEqual([0, false]);
  expect(stdout).toContain('No rule allows it, and no person can be asked: there is no terminal');
});

test('a rule of the agent allows it without a question', async () => {
  const { bench, isMade } = open({ security: 'allowlist' }, { allow: ['Bash(touch made)'] });
  await bench.agent(['-m', 'make it']);
  expect(isMade()).toBe(true);
});

test.skipIf(noTerminal !== undefined)('a second Ctrl-C ends a command that ignores the first', async () => {
  const { bench, start } = open({ security: 'full' });
  const command = 'trap "" TERM INT; echo $$ > pid; while :; do sleep 1000; done';
  bench.addScript('asks', [{ steps: [{ tool: 'exec', args: { command } }] }]);
  const run = start(['-m', 'go on']);
  const path = join(bench.stateDir, 'workspace/pid');
  const pid = await waitFor(
    () => 'the pid of the command',
    () => (existsSync(path) && Number(readFileSync(path, 'utf8'))) || undefined,
  );
  run.child.stdin!.write('\x03');
  await run.shows(/… ending/);
  run.child.stdin!.write('\x03');
  await run.ended;
  await waitFor(
    () => 'the end of the command',
    () => !lives(pid) || undefined,
  );
});
