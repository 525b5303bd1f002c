import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { HUNT, LONG, sample } from '../../../../test/setup/hunt.ts';
import { type OccRun, runOcc } from '../setup/run-occ.ts';
import { createSessionWithTurns, writeSession } from '../setup/sessions.ts';
import { type Child, startChild } from '../setup/start-child.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';
import { endScheduledEdits, waitingProcessOf } from './scheduled-processes.ts';

const HOLD_LOCK = new URL('./children/hold-lock.mjs', import.meta.url);
const ID = '11111111-2222-3333-4444-555555555555';

let stateDir: string;
let path: string;
beforeEach(() => {
  stateDir = join(makeTempFolder(), 'state');
  path = writeSession(stateDir, 'main', ID, createSessionWithTurns(8, 1, { tree: true, resultLength: 3000 }));
});
endScheduledEdits(() => path);

function occ(...args: string[]): Promise<OccRun> {
  return runOcc([...args, '--state-dir', stateDir, '--json']);
}

async function holdLock(): Promise<Child> {
  const holder = startChild(HOLD_LOCK, [path]);
  await holder.said('held');
  return holder;
}

async function info(): Promise<{ lastScheduledEdit?: { state: string; error?: object; result?: object } }> {
  return JSON.parse((await occ('info', ID)).stdout);
}

async function untilSettled() {
  while (waitingProcessOf(path) !== undefined) await sleep(50);
  return (await info()).lastScheduledEdit;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function untilEnded(pid: number): Promise<void> {
  while (isRunning(pid)) await sleep(20);
}

const backup = (number: number) =>
  join(dirname(path), 'backups', basename(path).replace('.jsonl', `.backup.${number}.jsonl`));

describe('--when-idle', () => {
  test('returns at once, waits in a process of its own, edits when the lock is gone, and info shows it', async () => {
    const holder = await holdLock();
    const before = readFileSync(path);
    const { code, stdout, stderr } = await occ('edit', ID, '--strip-tools=extreme', '--when-idle');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const result = JSON.parse(stdout);
    expect(result).toMatchObject({
      changed: false,
      scheduled: true,
      note: expect.stringContaining(`${holder.pid}`),
    });
    expect(result).not.toHaveProperty('backupPath');
    expect(readFileSync(path)).toEqual(before);
    expect((await info()).lastScheduledEdit).toMatchObject({ state: 'waiting' });

    holder.tell('release');
    expect(await untilSettled()).toMatchObject({
      state: 'done',
      result: { changed: true, backupPath: backup(1), statistics: { toolCallsRemoved: 8 } },
    });
    expect(readFileSync(backup(1))).toEqual(before);
    expect(readFileSync(path, 'utf8')).not.toContain('toolCall');
  });

  test('on a session that is not in use: edits at once', async () => {
    const { stdout } = await occ('edit', ID, '--strip-tools=extreme', '--when-idle');
    expect(JSON.parse(stdout)).toMatchObject({ changed: true, backupPath: backup(1) });
    expect((await info()).lastScheduledEdit).toBeUndefined();
  });

  test('asked for twice: one process waits, one edit is made', LONG, async () => {
    const holder = await holdLock();
    await occ('edit', ID, '--strip-tools=extreme', '--when-idle');
    const first = waitingProcessOf(path)!;
    expect(JSON.parse((await occ('edit', ID, '--strip-tools=extreme', '--when-idle')).stdout)).toMatchObject({
      scheduled: true,
    });
    expect(waitingProcessOf(path)).toBe(first);
    holder.tell('release');
    expect(await untilSettled()).toMatchObject({ state: 'done', result: { changed: true } });
    expect(existsSync(backup(2))).toBe(false);
  });

  test('asked for with other options: the later takes the place of the earlier', LONG, async () => {
    const holder = await holdLock();
    await occ('edit', ID, '--strip-tools=extreme', '--when-idle');
    const first = waitingProcessOf(path)!;
    await occ('edit', ID, '--keep', '3', '--when-idle');
    expect(waitingProcessOf(path)).not.toBe(first);
    await untilEnded(first);
    holder.tell('release');
    expect(await untilSettled()).toMatchObject({
      state: 'done',
      result: { statistics: { toolCallsRemoved: 5 } },
    });
    expect(existsSync(backup(2))).toBe(false);
  });

  test.each(sample(['SIGKILL', 'SIGTERM'] as const, { gate: 1 }))(
    'the process that waits ends by %s: info says so, and it can be asked for again',
    HUNT,
    async (signal) => {
      const holder = await holdLock();
      await occ('edit', ID, '--strip-tools=extreme', '--when-idle');
      const pid = waitingProcessOf(path)!;
      const names = readdirSync(dirname(path), { recursive: true });
      process.kill(pid, signal);
      await untilEnded(pid);
      expect(readdirSync(dirname(path), { recursive: true })).toEqual(names);
      expect((await info()).lastScheduledEdit).toMatchObject({
        state: 'failed',
        error: { code: 'EDIT_FAILED', message: expect.stringContaining(`${pid}`), hint: expect.any(String) },
      });
      await occ('edit', ID, '--strip-tools=extreme', '--when-idle');
      expect(waitingProcessOf(path)).not.toBe(pid);
      holder.tell('release');
      expect(await untilSettled()).toMatchObject({ state: 'done', result: { changed: true } });
    },
  );

  test('the process that waits is in a session of its own, so that no hang-up reaches it', async ({
    skip,
  }) => {
    if (process.platform !== 'linux') skip('only Linux shows the session of a process in /proc');
    await holdLock();
    await occ('edit', ID, '--strip-tools', '--when-idle');
    const pid = waitingProcessOf(path)!;
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [, , , session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    expect(session).toBe(String(pid));
  });

  test('the session is deleted meanwhile: the process ends, and makes no new one', LONG, async () => {
    const holder = await holdLock();
    await occ('edit', ID, '--strip-tools=extreme', '--when-idle');
    const pid = waitingProcessOf(path)!;
    rmSync(path);
    holder.tell('release');
    await untilEnded(pid);
    expect(existsSync(path)).toBe(false);
  });
});

describe('without --when-idle', () => {
  test('a lock: refused, the holder named; --force does not help', async () => {
    const holder = await holdLock();
    const before = readFileSync(path);
    for (const flags of [[], ['--force']]) {
      const { code, stdout, stderr } = await occ('edit', ID, '--strip-tools=extreme', ...flags);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(JSON.parse(stderr)).toMatchObject({
        success: false,
        error: {
          code: 'SESSION_IN_USE',
          message: expect.stringContaining(`process ${holder.pid}`),
          hint: expect.stringMatching(/--wait.*--when-idle/),
        },
      });
    }
    expect(readFileSync(path)).toEqual(before);
    expect(existsSync(backup(1))).toBe(false);
  });

  test('--wait: waits for the lock and then edits', async () => {
    const holder = await holdLock();
    const waiting = occ('edit', ID, '--strip-tools=extreme', '--wait=60');
    await sleep(300);
    expect(existsSync(backup(1))).toBe(false);
    holder.tell('release');
    const { code, stdout } = await waiting;
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ changed: true });
  });

  test('--wait whose time is over: refused, nothing changed', async () => {
    const holder = await holdLock();
    const { code, stderr } = await occ('edit', ID, '--strip-tools=extreme', '--wait=1');
    expect(code).toBe(1);
    expect(JSON.parse(stderr).error).toMatchObject({
      code: 'SESSION_IN_USE',
      message: expect.stringContaining(`${holder.pid}`),
    });
    expect(existsSync(backup(1))).toBe(false);
  });

  test('a lock that a killed process left: edited, and the lock is gone', async () => {
    const holder = await holdLock();
    holder.process.kill('SIGKILL');
    await holder.ended;
    const { stdout } = await occ('edit', ID, '--strip-tools=extreme');
    expect(JSON.parse(stdout)).toMatchObject({ changed: true });
    expect(existsSync(`${path}.lock`)).toBe(false);
  });

  test('restore respects the lock as well, and does not offer what it cannot do', LONG, async () => {
    await occ('edit', ID, '--strip-tools=extreme');
    const holder = await holdLock();
    const { code, stderr } = await occ('restore', ID);
    expect(code).toBe(1);
    const { error } = JSON.parse(stderr);
    expect(error).toMatchObject({
      code: 'SESSION_IN_USE',
      message: expect.stringContaining(`${holder.pid}`),
    });
    expect(error.hint).not.toContain('--when-idle');
    holder.tell('release');
    await holder.ended;
    expect((await occ('restore', ID)).code).toBe(0);
  });
});
