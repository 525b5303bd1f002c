import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cleanEnvironment, OCC_LAUNCHER, runOcc } from '../setup/run-occ.ts';
import { writeSession } from '../setup/sessions.ts';

/** More than the buffer of a pipe takes. */
const COUNT = 1200;

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'occ-direct-output-'));
  for (let at = 0; at < COUNT; at++) writeSession(folder, 'main', `session-${at}`, [], { indexed: false });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.each([
  ['a socket that waits', []],
  // The stream, once it is there, makes the descriptor one that does not wait.
  ['a socket that does not', ['--import', 'data:text/javascript,process.stdout']],
])('long output arrives whole through %s, however slow the reader is', async (_, nodeArgs) => {
  const child = spawn(process.execPath, [...nodeArgs, OCC_LAUNCHER, 'list', '--json'], {
    env: cleanEnvironment({ OCC_STATE_DIRECTORY: folder }),
  });
  const closed = once(child, 'close');
  const stdout: Buffer[] = [];
  for await (const chunk of child.stdout) {
    stdout.push(chunk);
    if (stdout.length < 5) await sleep(20);
  }
  expect((await closed)[0]).toBe(0);
  expect(JSON.parse(Buffer.concat(stdout).toString())).toHaveLength(COUNT);
});

it.each([
  ['a pipe', 'node "$0" list --json | cat'],
  ['a file', 'node "$0" list --json > "$FILE"; cat "$FILE"'],
])('long output arrives whole through %s', async (_, script) => {
  const child = spawn('sh', ['-c', script.replace('node', `"${process.execPath}"`), OCC_LAUNCHER], {
    env: cleanEnvironment({ OCC_STATE_DIRECTORY: folder, FILE: join(folder, 'out') }),
  });
  const stdout: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
  expect((await once(child, 'close'))[0]).toBe(0);
  expect(JSON.parse(Buffer.concat(stdout).toString())).toHaveLength(COUNT);
});

it('a reader that leaves early is no error', async () => {
  const script = `"${process.execPath}" "$0" list --json | head -c 10; "${process.execPath}" "$0" list >/dev/null`;
  const child = spawn('sh', ['-c', script, OCC_LAUNCHER], {
    env: cleanEnvironment({ OCC_STATE_DIRECTORY: folder }),
  });
  const stderr: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
  child.stdout.resume();
  expect([(await once(child, 'close'))[0], String(Buffer.concat(stderr))]).toEqual([0, '']);
});

it('errors go to a file as they go to a terminal', async () => {
  const path = join(folder, 'errors');
  const child = spawn(process.execPath, [OCC_LAUNCHER, 'list', '--agent', 'bad'], {
    env: cleanEnvironment({ OCC_STATE_DIRECTORY: folder }),
    stdio: ['ignore', 'ignore', openSync(path, 'w')],
  });
  expect((await once(child, 'close'))[0]).toBe(1);
  expect(readFileSync(path, 'utf8')).toMatch(/^Error: Agent 'bad' not found/);
  expect((await runOcc(['list', '--agent', 'bad'], { env: { OCC_STATE_DIRECTORY: folder } })).stdout).toBe(
    '',
  );
});

it.skipIf(!existsSync('/dev/full')).each([
  ['list', /^Error: The output could not be written: ENOSPC[^\n]*\n {2}Check its destination[^\n]*\n$/],
  ['--help', /^Error: The output could not be written: ENOSPC[^\n]*\n {2}Check its destination[^\n]*\n$/],
  ['list --json', /^\{"success":false,"error":\{"code":"UNEXPECTED"[^\n]*\}\n$/],
])('occ %s on a full device is one error', async (line, text) => {
  const child = spawn(process.execPath, [OCC_LAUNCHER, ...line.split(' ')], {
    env: cleanEnvironment({ OCC_STATE_DIRECTORY: folder }),
    stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
  });
  const stderr: Buffer[] = [];
  child.stderr!.on('data', (chunk: Buffer) => stderr.push(chunk));
  expect((await once(child, 'close'))[0]).toBe(1);
  expect(String(Buffer.concat(stderr))).toMatch(text);
});

it.skipIf(!existsSync('/dev/full'))('an error that cannot be told is still an exit code', async () => {
  const child = spawn(process.execPath, [OCC_LAUNCHER, 'list', '--agent', 'bad'], {
    env: cleanEnvironment({ OCC_STATE_DIRECTORY: folder }),
    stdio: ['ignore', 'ignore', openSync('/dev/full', 'w')],
  });
  expect(await once(child, 'close')).toEqual([1, null]);
});
