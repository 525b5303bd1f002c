import { spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { OpenBotError } from '@openbot/sessions';
import type { Environment } from '@openbot/sessions/layout';
import { alreadyRunning } from './claim-gateway.ts';
import { findGateway, findHolder, type GatewayRecord } from './find-gateway.ts';
import { gatewayFiles } from './gateway-files.ts';
import { openLogFile } from './log-file.ts';
import { readLastLines } from './read-log.ts';
import { askReadiness } from './readiness.ts';

const LOOK_EVERY_MS = 20;
const SHOWN_LINES = 15;

/**
 * Starts the command in the background, and waits until it is ready. Throws GATEWAY_RUNNING, and GATEWAY_NOT_STARTED with
 * the last lines of its log; then it does not run.
 * @param command that runs the gateway in the foreground, the program first
 */
export async function startGateway({
  stateDir,
  command: [program = '', ...args],
  env,
  timeoutMs,
}: {
  readonly stateDir: string;
  readonly command: readonly string[];
  readonly env: Environment;
  readonly timeoutMs: number;
}): Promise<GatewayRecord> {
  if (findHolder(stateDir) !== undefined) throw alreadyRunning(stateDir);
  const { log } = gatewayFiles(stateDir);
  const fd = openLogFile(log);
  // Its own session: it survives the terminal, and is no job of the shell.
  const child = spawn(program, args, {
    detached: true,
    stdio: ['ignore', fd, fd],
    env: env as NodeJS.ProcessEnv,
    cwd: stateDir,
  });
  closeSync(fd);
  let ended: string | undefined;
  child.on('error', (error) => {
    ended = `it could not be started: ${error.message}`;
  });
  child.on('exit', (code, signal) => {
    ended ??= `it ended with ${signal ?? `code ${code}`}`;
  });
  child.unref();
  const until = performance.now() + timeoutMs;
  while (ended === undefined && performance.now() < until) {
    const record = findGateway(stateDir);
    if (record?.pid === child.pid && record !== undefined && (await askReadiness(record.url))?.ready)
      return record;
    await sleep(LOOK_EVERY_MS);
  }
  if (ended === undefined) child.kill('SIGTERM');
  const lines = readLastLines(log, SHOWN_LINES);
  throw new OpenBotError(
    'GATEWAY_NOT_STARTED',
    [
      `The gateway did not start: ${ended ?? `it was not ready within ${timeoutMs / 1000} seconds`}`,
      ...lines.map((line) => `  ${line}`),
    ].join('\n'),
    { hint: `The log: ${log}. To see it start: openbot gateway run` },
  );
}
