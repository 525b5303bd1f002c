import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { describeCommand, isHolderAlive, ownIdentity } from '../../src/disk/process-identity.ts';
import { startChild } from '../setup/child.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

const onLinux = process.platform === 'linux';
const NO_PROC = 'only Linux shows start time, pid namespace and command of a process in /proc';

describe('own identity', () => {
  test('holds the start time that /proc shows', ({ skip }) => {
    if (!onLinux) skip(NO_PROC);
    const fields = readFileSync(`/proc/${process.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    expect(ownIdentity()).toMatchObject({ pid: process.pid, starttime: Number(fields[19]) });
  });
});

describe('is the holder alive', () => {
  test('this process is', ({ skip }) => {
    if (!onLinux) skip(NO_PROC);
    expect(isHolderAlive(ownIdentity())).toBe('alive');
  });

  test('a reused pid is not the same process', ({ skip }) => {
    if (!onLinux) skip(NO_PROC);
    const self = ownIdentity();
    expect(isHolderAlive({ ...self, starttime: (self.starttime ?? 0) - 1 })).toBe('dead');
  });

  test('another host or container cannot be judged', () => {
    expect(isHolderAlive({ ...ownIdentity(), host: 'elsewhere.example' })).toBe('unknown');
  });

  test('another pid namespace cannot be judged', ({ skip }) => {
    if (!onLinux) skip(NO_PROC);
    expect(isHolderAlive({ ...ownIdentity(), pid: 2 ** 22 + 5, pidSpace: 'other/pid:[1]' })).toBe('unknown');
  });

  test('a running pid without a start time proves nothing', () => {
    expect(isHolderAlive({ pid: process.pid })).toBe('unknown');
  });

  test.each([undefined, 0, -1, 1.5, Number.NaN, 2 ** 40])('pid %s is no pid', (pid) => {
    expect(isHolderAlive({ pid, host: ownIdentity().host })).toBe('unknown');
  });

  test('a killed process is dead, and at once, reaped or not', async () => {
    const folder = makeTempFolder();
    const child = startChild(new URL('./children/hold-lock.ts', import.meta.url), [`${folder}/a.lock`]);
    await child.printed('held');
    const { pid } = child.process as { pid: number };
    expect(isHolderAlive({ ...ownIdentity(), pid })).toBe(onLinux ? 'dead' : 'unknown');
    child.process.kill('SIGKILL');
    await child.ended;
    expect(isHolderAlive({ pid, host: ownIdentity().host })).toBe('dead');
  });
});

test('a command is named without its arguments', async ({ skip }) => {
  if (!onLinux) skip(NO_PROC);
  const folder = makeTempFolder();
  const secret = `${folder}/secret-token-123.lock`;
  const child = startChild(new URL('./children/hold-lock.ts', import.meta.url), [secret]);
  await child.printed('held');
  const command = describeCommand(child.process.pid ?? 0);
  expect(command).toContain('hold-lock.ts');
  expect(command).not.toContain('secret');
  child.process.stdin?.end();
  await child.ended;
});
