import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { isHolderAlive } from '@openbot/sessions/disk';
import { expect, inject, it, onTestFinished } from 'vitest';
import { LONG } from '../../../../test/setup/hunt.ts';
import { endWithProcess } from '../../src/project-status/run-command.ts';
import { GitRepo, makeEnvironment, makeFolder } from './git-repo.ts';

const CHILD = join(import.meta.dirname, 'status-child.ts');
const repo = GitRepo.withCommit();

/** A process that waits for two gh, each of which waits for a program of its own until there is a file `go`. */
async function startStatus(onTerm = '') {
  const folder = makeFolder();
  const pids = join(folder, 'pids');
  const gh = `
    "$NODE" -e 'const { existsSync } = process.getBuiltinModule("fs"); setInterval(() => existsSync("${folder}/go") && process.exit(), 20)' &
    echo $$ $! >> '${pids}'; wait; printf '[]'`;
  const child = spawn(process.execPath, ['--conditions=openbot-source', CHILD, repo.path, onTerm], {
    env: { ...makeEnvironment({ gh }), NODE_COMPILE_CACHE: inject('compiled') },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const said = text(child.stdout);
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const readPids = () => (existsSync(pids) ? readFileSync(pids, 'utf8').trim().split(/\s/).map(Number) : []);
  while (readPids().length < 4) await wait(20);
  const go = () => writeFileSync(join(folder, 'go'), '');
  onTestFinished(async () => {
    go();
    await expectDead(readPids());
  });
  return { child, said, exited, pids: readPids(), go };
}

async function expectDead(pids: readonly number[]): Promise<void> {
  for (const pid of pids) while (isHolderAlive({ pid }) !== 'dead') await wait(20);
}

it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s ends a process as ever, and git and gh with it',
  async (signal) => {
    const { child, exited, pids } = await startStatus();
    child.kill(signal);
    expect(await exited).toEqual([null, signal]);
    await expectDead(pids);
  },
);

it('a process that is killed leaves neither git nor gh', async () => {
  const { child, exited, pids } = await startStatus('go-on');
  child.kill('SIGTERM');
  // Heard: what starts them has gone on to the next step.
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  expect(await exited).toEqual([null, 'SIGKILL']);
  await expectDead(pids);
});

it('who exits when a signal comes takes them with him', LONG, async () => {
  const { child, exited, pids } = await startStatus('exit');
  child.kill('SIGTERM');
  expect(await exited).toEqual([7, null]);
  await expectDead(pids);
});

it('who goes on when a signal comes has his answer', async () => {
  const { child, said, exited, go } = await startStatus('go-on');
  child.kill('SIGTERM');
  // Heard, and nothing has ended.
  await once(child.stdout, 'data');
  go();
  expect(await exited).toEqual([0, null]);
  expect(await said).toBe('heard\n{"openPrs":[],"failingChecks":[]}\n');
});

it('listens only as long as there is something to end', () => {
  const count = () => ['SIGINT', 'SIGTERM', 'SIGHUP', 'exit'].map((name) => process.listenerCount(name));
  const before = count();
  const forget = [endWithProcess(() => {}), endWithProcess(() => {})];
  expect(count()).toEqual(before.map((listeners) => listeners + 1));
  for (const each of [...forget, ...forget]) each();
  expect(count()).toEqual(before);
});
