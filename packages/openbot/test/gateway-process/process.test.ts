/** The process of a gateway: one for each state folder, in the background, with a log. */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { ownIdentity } from '@openbot/sessions/disk';
import { expect, inject, test } from 'vitest';
import { afterTest } from '../../../../test/setup/cleaning.ts';
import { programOf } from '../../../../test/setup/programs.ts';
import { findGateway, findHolder } from '../../src/gateway-process/find-gateway.ts';
import { gatewayFiles } from '../../src/gateway-process/gateway-files.ts';
import { startGateway } from '../../src/gateway-process/start-gateway.ts';
import { stopGateway } from '../../src/gateway-process/stop-gateway.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';
import { waitFor } from '../setup/terminal-command.ts';

const CHILD = programOf(import.meta.dirname, 'served-process.ts');
/** Nothing here waits for it unless it fails. */
const LONG = 60_000;

function place() {
  const stateDir = makeTempFolder();
  const start = async (how = 'well', more: { timeoutMs?: number; endMs?: number } = {}) => {
    const record = await startGateway({
      stateDir,
      command: [process.execPath, CHILD, stateDir, how],
      env: { PATH: process.env.PATH, HOME: stateDir, NODE_COMPILE_CACHE: inject('compiled') },
      timeoutMs: LONG,
      ...more,
    });
    afterTest(() => {
      if (findGateway(stateDir)?.pid === record.pid) process.kill(record.pid, 'SIGKILL');
    });
    return record;
  };
  const log = () => readFileSync(gatewayFiles(stateDir).log, 'utf8');
  return { stateDir, files: gatewayFiles(stateDir), start, log };
}

test('it starts in the background, is the only one, reads again, and stops', async () => {
  const { stateDir, files, start, log } = place();
  expect(await stopGateway(stateDir, { timeoutMs: LONG, force: false })).toEqual({ was: 'not running' });
  const both = await Promise.allSettled([start(), start()]);
  expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  expect(both.find(({ status }) => status === 'rejected')).toMatchObject({
    reason: { code: 'GATEWAY_RUNNING' },
  });
  const record = findGateway(stateDir)!;
  expect(record).toMatchObject({
    url: `ws://127.0.0.1:${record.port}`,
    address: '127.0.0.1',
    version: '1.2.3',
    token: expect.stringMatching(/^[\w-]{43}$/),
  });
  for (const path of [files.record, files.lock, files.log]) expect(statSync(path).mode & 0o077).toBe(0);
  await expect(start()).rejects.toMatchObject({
    code: 'GATEWAY_RUNNING',
    message: expect.stringContaining(`process ${record.pid}`),
  });
  process.kill(record.pid, 'SIGHUP');
  await waitFor(
    () => 'the configuration to be read again',
    () => /read again/.test(log()) || undefined,
  );
  expect(await stopGateway(stateDir, { timeoutMs: LONG, force: false })).toEqual({
    was: 'stopped',
    pid: record.pid,
  });
  expect([findGateway(stateDir), findHolder(stateDir)]).toEqual([undefined, undefined]);
  expect(existsSync(files.record)).toBe(false);
  expect(log()).toMatch(
    /gateway ready on [\s\S]*gateway stopping: SIGTERM\n.*closing within 1234 ms\n.*gateway stopped\n$/,
  );
});

test('one that fails is said with the last lines of its log, and without secrets', async () => {
  const { stateDir, start } = place();
  await expect(start('broken')).rejects.toMatchObject({
    code: 'GATEWAY_NOT_STARTED',
    message: expect.stringMatching(
      /it ended with code 3\n {2}\S+Z the port is taken, token=(?!.*abcdefghij)/,
    ),
  });
  expect(findHolder(stateDir)).toBeUndefined();
});

test('one that is not ready in time does not run afterwards, even if it does not obey', async () => {
  const { stateDir, start } = place();
  await expect(start('deaf', { timeoutMs: 1500, endMs: 50 })).rejects.toMatchObject({
    code: 'GATEWAY_NOT_STARTED',
    message: expect.stringContaining('it was not ready within 1.5 seconds'),
  });
  expect(findHolder(stateDir)).toBeUndefined();
});

test('one that does not stop is killed only with force; the next one starts over what it left', async () => {
  const { stateDir, files, start } = place();
  const { pid } = await start('stuck');
  await expect(stopGateway(stateDir, { timeoutMs: 50, force: false })).rejects.toMatchObject({
    code: 'GATEWAY_NOT_STOPPED',
  });
  expect(await stopGateway(stateDir, { timeoutMs: 50, force: true })).toEqual({ was: 'killed', pid });
  expect(existsSync(files.lock)).toBe(true);
  expect(findGateway(stateDir)).toBeUndefined();
  const next = await start();
  expect(next.pid).not.toBe(pid);
  await stopGateway(stateDir, { timeoutMs: LONG, force: false });
});

test('another process with the same pid is not taken for the gateway', () => {
  const { stateDir, files } = place();
  const record = {
    port: 1,
    address: '127.0.0.1',
    url: 'ws://127.0.0.1:1',
    startedAt: 0,
    version: '',
    token: 't',
  };
  const own = ownIdentity();
  writeFileSync(files.record, JSON.stringify({ ...own, ...record }));
  expect(findGateway(stateDir)?.pid).toBe(process.pid);
  writeFileSync(files.record, JSON.stringify({ ...own, starttime: (own.starttime ?? 1) - 1, ...record }));
  expect(findGateway(stateDir)).toBeUndefined();
  for (const text of ['', '{}', '{"pid":1', '[]', 'null']) {
    writeFileSync(files.record, text);
    expect(findGateway(stateDir)).toBeUndefined();
  }
});
