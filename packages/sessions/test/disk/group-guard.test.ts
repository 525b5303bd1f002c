/** What ends process groups in the place of a process that was killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, inject, test } from 'vitest';
import { afterTest } from '../../../../test/setup/cleaning.ts';
import { GUARD } from '../../src/disk/group-guard.ts';
import { isHolderAlive, readProcessStat } from '../../src/disk/process-identity.ts';

const isThere = (pid: number) => isHolderAlive({ pid }) !== 'dead';
async function gone(pid: number): Promise<void> {
  while (isThere(pid)) await sleep(20);
}

function watch<C extends ChildProcess>(child: C): C {
  afterTest(() => void child.kill('SIGKILL'));
  return child;
}

/** A group whose leader has said its first line: that it heeds no request to end, or that there is a second process. */
async function startGroup(script: string): Promise<{ leader: number; said: string }> {
  const child = watch(
    spawn('/bin/sh', ['-c', script], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] }),
  );
  const [said] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return { leader: child.pid!, said };
}

test('a group with the number of one that has ended is not touched', async () => {
  const [other, left, done] = await Promise.all([
    startGroup('echo; exec tail -f /dev/null'),
    startGroup('tail -f /dev/null & echo $!; wait'),
    startGroup('echo; exec tail -f /dev/null'),
  ]);
  const nameOf = ({ leader }: { leader: number }) => `${leader} ${readProcessStat(leader)!.starttime}`;
  const guard = watch(spawn('/bin/sh', ['-c', GUARD], { stdio: ['pipe', 'ignore', 'ignore'] }));
  const ended = once(guard, 'exit');
  // Who ends a service sends it to all of its processes.
  while (!ignores(guard.pid!, 15)) await sleep(20);
  guard.kill('SIGTERM');
  guard.stdin.end(
    [`+ ${other.leader} 1`, `+ ${nameOf(done)}`, `+ ${nameOf(left)}`, `- ${nameOf(done)}`, ''].join('\n'),
  );
  await gone(left.leader);
  await gone(Number(left.said));
  expect(await ended).toEqual([0, null]);
  expect([other.leader, done.leader].map(isThere)).toEqual([true, true]);
});

function ignores(pid: number, signal: number): boolean {
  const [, mask = '0'] = /^SigIgn:\t(\w+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
  return ((BigInt(`0x${mask}`) >> BigInt(signal - 1)) & 1n) === 1n;
}

const CHILD = join(import.meta.dirname, 'children', 'group-owner.ts');

test('a process that is killed leaves no group: without a leader, or begun when no guard could be started', async () => {
  const child = watch(
    spawn(process.execPath, [CHILD], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, NODE_COMPILE_CACHE: inject('compiled') },
    }),
  );
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const { pids, forgotten } = JSON.parse(line) as { pids: number[]; forgotten: number };
  afterTest(() => void process.kill(forgotten, 'SIGKILL'));
  child.kill('SIGKILL');
  for (const pid of pids) await gone(pid);
  expect(isThere(forgotten)).toBe(true);
});
