/** `openbot clean`: the commands of occ on this state folder. */

import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listMisfits, listVisible } from '@openbot/sessions/command-line';
import { expect, it } from 'vitest';
import { noTerminal, startInTerminal } from '../../../../test/setup/in-terminal.ts';
import { OPENBOT } from '../../src/cli/main.ts';
import { type AgentBench, makeAgentBench } from '../setup/agent-process.ts';
import { COMMAND } from '../setup/command-file.ts';
import { watchCommand } from '../setup/terminal-command.ts';

async function runClean(bench: AgentBench, ...args: string[]) {
  const child = spawn(process.execPath, [...COMMAND, 'clean', ...args], {
    env: bench.env as NodeJS.ProcessEnv,
  });
  child.stdin.end();
  return watchCommand(child).ended;
}

/** With two turns that used tools. */
async function makeUsedBench(): Promise<AgentBench> {
  const bench = makeAgentBench();
  await bench.agent(['-m', 'write hello to notes.txt']);
  await bench.agent(['-m', 'read notes.txt']);
  return bench;
}

it('lists, describes, cleans and restores the sessions of this folder, and names its own commands', async () => {
  const bench = await makeUsedBench();
  const { sessionId } = bench.store()['agent:main:main']!;
  const listed = await runClean(bench, 'list', '--json');
  expect(JSON.parse(listed.stdout)).toMatchObject([{ sessionId, sessionKey: 'agent:main:main' }]);
  const path = join(bench.stateDir, 'agents', 'main', 'sessions', `${sessionId}.jsonl`);
  const before = readFileSync(path, 'utf8');
  const plan = await runClean(bench, 'edit', '--strip-tools=extreme', '--dry-run', '--json');
  const results = await listVisible(OPENBOT).find(({ name }) => name === 'clean edit')!.results!();
  expect(Object.keys(results)).toEqual(['openbot clean edit --json']);
  expect(listMisfits(Object.values(results)[0]!, JSON.parse(plan.stdout))).toEqual([]);
  const edited = await runClean(bench, 'edit', '--strip-tools=extreme');
  expect(edited.stdout).toContain(`openbot clean restore ${sessionId}`);
  expect(edited.stdout).not.toMatch(/\bocc\b/);
  expect(readFileSync(path, 'utf8')).not.toContain('"type":"toolCall"');
  expect(await runClean(bench, 'restore', sessionId.slice(0, 8))).toMatchObject({ code: 0, stderr: '' });
  expect(readFileSync(path, 'utf8')).toBe(before);
  const missing = await runClean(bench, 'edit', 'nope', '--strip-tools');
  expect([missing.code, missing.stderr]).toEqual([
    1,
    "Error: Session 'nope' not found\n  Use 'openbot clean list' to see available sessions\n",
  ]);
});

it('the agent, the store and the folder are those of openbot.json and --state-dir', async () => {
  const bench = makeAgentBench();
  bench.configure({
    agents: { list: [{ id: 'ops', default: true }] },
    session: { store: join(bench.folder, 'elsewhere', '{agentId}', 'sessions.json') },
  });
  await bench.agent(['-m', 'hello']);
  const listed = await runClean(bench, 'list', '--json', '--state-dir', bench.stateDir);
  expect(JSON.parse(listed.stdout)).toMatchObject([{ agentId: 'ops', sessionKey: 'agent:ops:main' }]);
  const gone = await runClean(bench, 'list', '--state-dir', join(bench.folder, 'gone'));
  expect([gone.code, gone.stderr]).toEqual([2, expect.stringContaining('gone does not exist')]);
  writeFileSync(join(bench.stateDir, 'openbot.json'), '{ torn');
  expect(await runClean(bench, 'list')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('openbot.json'),
  });
});

it.skipIf(noTerminal !== undefined)(`a run in another process is seen ${noTerminal ?? ''}`, async () => {
  const bench = await makeUsedBench();
  bench.addScript('slow', [{ steps: [{ text: 'One moment' }, { stall: true }] }]);
  bench.configure({ agents: { defaults: { model: 'script/slow' } } });
  const run = startInTerminal([process.execPath, ...COMMAND, 'agent', '-m', 'wait'], bench);
  await run.shows(/One moment/);
  const { code, stderr } = await runClean(bench, 'edit', '--strip-tools=extreme', '--force');
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/is in use: its lock is held by process \d+.*\n {2}Wait for the end of the run/),
  ]);
  const waiting = runClean(bench, 'edit', '--strip-tools=extreme', '--wait=60', '--force');
  run.child.stdin!.write('\u0003');
  await run.ended;
  expect(await waiting).toMatchObject({ code: 0, stderr: expect.not.stringContaining('Error') });
  expect(JSON.stringify(bench.lines())).not.toContain('"type":"toolCall"');
});
