import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { OpenBotError } from '@openbot/sessions';
import { ownIdentity } from '@openbot/sessions/disk';
import { beforeEach, expect, test } from 'vitest';
import type { ScheduledEdit } from '../../src/backups/scheduled-edit.ts';
import { editWhenIdle, type ScheduledRun } from '../../src/schedule/edit-when-idle.ts';
import { changeRecord, readRecord, readScheduledEdit } from '../../src/schedule/record.ts';
import { createSessionWithTurns, writeSession } from '../setup/sessions.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';
import { OPENCLAW } from './exchanges.ts';

let path: string;
let id: string;
beforeEach(async () => {
  id = randomUUID();
  path = writeSession(join(makeTempFolder(), 'state'), 'main', 's', createSessionWithTurns(3, 1));
  await changeRecord(path, () => waiting(id));
});

function waiting(name: string): ScheduledEdit {
  return {
    id: name,
    state: 'waiting',
    requestedAt: '2026-01-01T00:00:00.000Z',
    toolRemoval: { keepTurnsWithTools: 1, truncatePercent: 0 },
    process: { ...ownIdentity(), pid: 0x7ffffff0 },
  };
}

function run(edit: ScheduledRun['edit'], more: Partial<ScheduledRun> = {}): Promise<void> {
  return editWhenIdle({ id, path, sessionId: 's', edit, quietMs: 10, pollMs: 10, ...more });
}

test('puts its own name in the record, edits, and leaves the result', async () => {
  await run(async () => {
    expect(readRecord(path)?.process.pid).toBe(process.pid);
    return { changed: true };
  });
  expect(readScheduledEdit(path)).toMatchObject({
    id,
    state: 'done',
    requestedAt: '2026-01-01T00:00:00.000Z',
    finishedAt: expect.stringMatching(/^20\d\d-/),
    result: { changed: true },
  });
});

test('a session in use again at the last moment: waits on and tries again', async () => {
  let tries = 0;
  await run(async () => {
    if (++tries < 3) throw new OpenBotError('SESSION_IN_USE', 'in use', { hint: 'wait' });
    return { changed: true };
  });
  expect(tries).toBe(3);
  expect(readScheduledEdit(path)).toMatchObject({ state: 'done' });
});

test('an edit that fails: code, message and hint are kept', async () => {
  await run(async () => {
    throw new OpenBotError('EDIT_FAILED', 'Failed to write s.jsonl: ENOSPC', { hint: 'Check disk space' });
  });
  expect(readScheduledEdit(path)).toMatchObject({
    state: 'failed',
    error: { code: 'EDIT_FAILED', message: 'Failed to write s.jsonl: ENOSPC', hint: 'Check disk space' },
  });
});

test('gives up after its limit, and says so', async () => {
  appendFileSync(path, `${JSON.stringify(OPENCLAW.question)}\n`);
  await run(() => Promise.reject(new Error('must not be called')), { limitMs: 30 });
  expect(readScheduledEdit(path)).toMatchObject({
    state: 'failed',
    error: { code: 'SESSION_IN_USE', message: expect.stringMatching(/^Gave up after .*unfinished/) },
  });
});

test('another scheduled edit took its place: does nothing, and leaves the record alone', async () => {
  await changeRecord(path, () => waiting('another'));
  await run(() => Promise.reject(new Error('must not be called')));
  expect(readRecord(path)).toEqual(waiting('another'));
});

test('replaced while it waits: ends', async () => {
  appendFileSync(path, `${JSON.stringify(OPENCLAW.question)}\n`);
  const ending = run(() => Promise.reject(new Error('must not be called')));
  await changeRecord(path, () => waiting('another'));
  await ending;
  expect(readRecord(path)).toEqual(waiting('another'));
});

test('a record that waits for a process that is gone is reported as failed', () => {
  expect(readScheduledEdit(path)).toMatchObject({
    state: 'failed',
    error: { code: 'EDIT_FAILED', message: expect.stringContaining(String(0x7ffffff0)) },
  });
});
