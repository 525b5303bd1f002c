/** `openbot gateway run` in a process that a test kills. */
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterTest } from '../../../../test/setup/cleaning.ts';
import { findGateway, type GatewayRecord } from '../../src/gateway-process/find-gateway.ts';
import { COMMAND } from './command-file.ts';

interface Place {
  readonly stateDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Resolves when it serves, on a port that was free.
 * @param descriptors how many files and sockets it may have open
 */
export async function runGateway(
  { stateDir, env }: Place,
  descriptors?: number,
): Promise<{ readonly child: ChildProcess; readonly record: GatewayRecord }> {
  const args = [...COMMAND, 'gateway', 'run', '--state-dir', stateDir, '--port', '0'];
  const limit = descriptors === undefined ? '' : `ulimit -n ${descriptors}; `;
  const command = ['-c', `${limit}exec "$0" "$@"`, process.execPath, ...args];
  const child = spawn('/bin/sh', command, { env, stdio: 'ignore' });
  afterTest(() => child.kill('SIGKILL'));
  for (;;) {
    const record = findGateway(stateDir);
    if (record?.pid === child.pid) return { child, record: record! };
    if (child.exitCode !== null) throw new Error(`The gateway ended with ${child.exitCode}`);
    await sleep(20);
  }
}
