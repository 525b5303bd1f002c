/** Starts process groups, the first while no guard can be started and one that it forgets, and prints the pids. Then it waits. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { guardGroup } from '../../../src/disk/group-guard.ts';

/** With what its first line says. */
async function start(
  script: string,
  env = process.env,
): Promise<{ pid: number; said: number; forget(): void }> {
  const child = spawn('/bin/sh', ['-c', script], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    env,
  });
  const forget = guardGroup(child.pid!);
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return { pid: child.pid!, said: Number(line), forget };
}

// Node throws where the environment is too large for the system.
const { PATH } = process.env;
process.env.PATH = 'x'.repeat(4 * 1024 * 1024);
const unguarded = await start('echo; exec tail -f /dev/null', { PATH });
process.env.PATH = PATH;
const deaf = await start('trap "" TERM; tail -f /dev/null & echo $!; wait');
const leaderless = await start('tail -f /dev/null & echo $!');
const forgotten = await start('echo; exec tail -f /dev/null');
forgotten.forget();
process.stdout.write(
  `${JSON.stringify({ pids: [unguarded.pid, deaf.pid, deaf.said, leaderless.said], forgotten: forgotten.pid })}\n`,
);
setInterval(() => {}, 1000);
