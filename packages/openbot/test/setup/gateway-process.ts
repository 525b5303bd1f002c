/** `openbot gateway` in the background of a state folder, for one test. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterTest } from '../../../../test/setup/cleaning.ts';
import { findGateway, type GatewayRecord } from '../../src/gateway-process/find-gateway.ts';
import { COMMAND } from './command-file.ts';

interface Place {
  readonly stateDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** On a port that is free. Killed after the test where it still runs. */
export async function startGatewayOn(
  { stateDir, env }: Place,
  ...flags: readonly string[]
): Promise<GatewayRecord> {
  const args = ['gateway', 'start', '--port', '0', '--timeout', '600', ...flags];
  const child = spawn(process.execPath, [...COMMAND, ...args], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let error = '';
  child.stderr!.setEncoding('utf8').on('data', (piece: string) => {
    error += piece;
  });
  const [code] = await once(child, 'close');
  const record = findGateway(stateDir);
  if (code !== 0 || record === undefined) throw new Error(`The gateway did not start: ${error}`);
  afterTest(() => {
    if (findGateway(stateDir)?.pid === record.pid) process.kill(record.pid, 'SIGKILL');
  });
  return record;
}
