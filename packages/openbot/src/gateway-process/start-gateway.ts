import { closeSync, ftruncateSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { OpenBotError } from '@openbot/sessions';
import { startChild } from '@openbot/sessions/disk';
import type { Environment } from '@openbot/sessions/layout';
import { alreadyRunning } from './claim-gateway.ts';
import { findGateway, findHolder, type GatewayRecord } from './find-gateway.ts';
import { gatewayFiles } from './gateway-files.ts';
import { openLogFile } from './log-file.ts';
import { readSince, sizeOf } from './read-log.ts';
import { askReadiness, DISK_FULL } from './readiness.ts';

const LOOK_EVERY_MS = 20;
const SHOWN_LINES = 15;
/** How long one that was not ready in time may take to end, before it is killed. */
const END_MS = 15_000;
const LARGEST_OUTPUT = 1024 * 1024;

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
  endMs = END_MS,
}: {
  readonly stateDir: string;
  readonly command: readonly string[];
  readonly env: Environment;
  readonly timeoutMs: number;
  readonly endMs?: number;
}): Promise<GatewayRecord> {
  if (findHolder(stateDir) !== undefined) throw alreadyRunning(stateDir);
  const { log, output } = gatewayFiles(stateDir);
  // Not the log itself: that one is renamed and removed while the process runs.
  const fd = openLogFile(output);
  if (sizeOf(output) > LARGEST_OUTPUT) ftruncateSync(fd);
  const before = [log, output].map((path) => ({ path, size: sizeOf(path) }));
  let ended: string | undefined;
  // Its own session: it survives the terminal, and is no job of the shell.
  const child = await startChild(program, args, {
    detached: true,
    stdio: ['ignore', fd, fd],
    env: env as NodeJS.ProcessEnv,
    cwd: stateDir,
  })
    .catch((error: Error) => {
      ended = `it could not be started: ${error.message}`;
    })
    .finally(() => closeSync(fd));
  child?.on('exit', (code, signal) => {
    ended = `it ended with ${signal ?? `code ${code}`}`;
  });
  child?.unref();
  const until = performance.now() + timeoutMs;
  while (ended === undefined && performance.now() < until) {
    const record = findGateway(stateDir);
    if (record !== undefined && record.pid === child?.pid && (await hasStarted(record.url))) return record;
    await sleep(LOOK_EVERY_MS);
  }
  const reason = ended ?? `it was not ready within ${timeoutMs / 1000} seconds`;
  for (const [signal, waitMs] of [
    ['SIGTERM', endMs],
    ['SIGKILL', END_MS],
  ] as const) {
    if (ended === undefined) child?.kill(signal);
    const end = performance.now() + waitMs;
    while (ended === undefined && performance.now() < end) await sleep(LOOK_EVERY_MS);
  }
  // Of two that start at once the other one has the folder.
  if (findHolder(stateDir) !== undefined) throw alreadyRunning(stateDir);
  const lines = before.flatMap(({ path, size }) => readSince(path, size)).slice(-SHOWN_LINES);
  throw new OpenBotError(
    'GATEWAY_NOT_STARTED',
    [`The gateway did not start: ${reason}`, ...lines.map((line) => `  ${line}`)].join('\n'),
    { hint: `The log: ${log}. To see it start: openbot gateway run` },
  );
}

async function hasStarted(url: string): Promise<boolean> {
  const readiness = await askReadiness(url);
  if (readiness === undefined || readiness.ready) return readiness !== undefined;
  return readiness.failing.length > 0 && readiness.failing.every((reason) => reason === DISK_FULL);
}
