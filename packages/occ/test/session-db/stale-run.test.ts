/** Entries that tell of a run which nobody is at work on: a gateway that dies leaves them so. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { LONG } from '../../../../test/setup/hunt.ts';
import { findDatabaseFaults } from '../../../sessions/test/openclaw-db/setup/check-database.ts';
import { listOpenWriters } from '../../src/in-use/open-writers.ts';
import {
  AFTER_RUN,
  type Agent,
  FULL,
  home,
  id,
  KEY,
  lastAnswer,
  makeAgent,
  prepareRuns,
  readCounters,
  readScheduled,
  untilSettled,
} from './database-run.ts';
import { changeDatabase, readEntryOf } from './look-into.ts';

prepareRuns();

const LONG_AGO = 3_600_000;

const changeEntry = (change: string) =>
  changeDatabase(home.path, `UPDATE session_nodes SET entry_json = ${change}, entry_valid = 1`);
const beginLongAgo = () =>
  changeEntry(`json_set(entry_json, '$.startedAt', json_extract(entry_json, '$.startedAt') - ${LONG_AGO})`);

async function leaveRunByKill(): Promise<void> {
  const agent = makeAgent('run-1');
  await agent.do('begin');
  agent.process.kill('SIGKILL');
  await agent.ended;
}

/** A gateway that has the database open and no run of the session. */
async function startGateway(): Promise<Agent> {
  const gateway = makeAgent('run-2');
  while (!listOpenWriters(home.path, 10_000).some(({ pid }) => pid === gateway.pid)) await sleep(5);
  return gateway;
}

async function expectNoRun(): Promise<void> {
  expect(readEntryOf(home.path, KEY).entry.status).toBe('running');
  const cleaned = await home.json('edit', id, '--strip-tools=extreme');
  expect(cleaned).toMatchObject({ changed: true });
  expect(cleaned.note ?? '').not.toMatch(/\brun\b/);
  expect(readCounters()).toEqual({ totalTokens: cleaned.tokens.after, totalTokensFresh: false });
  expect(await readScheduled()).toBeUndefined();
  expect(await home.json('restore', id)).not.toHaveProperty('note');
  expect(readCounters()).toMatchObject({ totalTokens: FULL, totalTokensFresh: true });
  expect(findDatabaseFaults(home.path)).toEqual([]);
}

async function expectRun(): Promise<void> {
  const cleaned = await home.json('edit', id, '--strip-tools=extreme');
  expect(cleaned.note).toContain('A run of this session is in progress');
  expect(readCounters()).toMatchObject({ totalTokens: FULL });
  expect(await readScheduled()).toMatchObject({ state: 'waiting', corrects: 'figures' });
}

// Who has a file open is only known there.
describe.runIf(process.platform === 'linux')('no run, so nothing is claimed, left undone or started', () => {
  test('no process has the database open', LONG, async () => {
    await leaveRunByKill();
    await expectNoRun();
  });

  test('the gateway was started again', async () => {
    await leaveRunByKill();
    beginLongAgo();
    await startGateway();
    await expectNoRun();
  });

  test('it was, and found the run to be taken up', LONG, async () => {
    await leaveRunByKill();
    beginLongAgo();
    changeEntry(
      `json_set(entry_json, '$.abortedLastRun', json('true'), '$.mainRestartRecovery', json('{}'))`,
    );
    await startGateway();
    await expectNoRun();
  });
});

describe('a run, for all that is known', () => {
  test('of a gateway that was there before it, beside a younger one', async () => {
    const agent = makeAgent('run-1');
    await agent.do('begin');
    await startGateway();
    await expectRun();
  });

  test('whose start was not recorded', LONG, async () => {
    await leaveRunByKill();
    changeEntry(`json_remove(entry_json, '$.startedAt')`);
    await startGateway();
    await expectRun();
  });

  test('which the gateway has taken up, under its old time', LONG, async () => {
    await leaveRunByKill();
    beginLongAgo();
    changeEntry(
      `json_set(entry_json, '$.abortedLastRun', json('false'), '$.mainRestartRecovery', json('{}'))`,
    );
    await startGateway();
    await expectRun();
  });
});

test('a gateway that dies after the clean and is started again: what waits for the end of the run does not wait for ever', async () => {
  const agent = makeAgent('run-1');
  await agent.do('begin');
  const cleaned = await home.json('edit', id, '--strip-tools=extreme');
  await agent.do(`answer ${AFTER_RUN}`);
  await startGateway();
  beginLongAgo();
  agent.process.kill('SIGKILL');
  await agent.ended;
  expect(await untilSettled()).toMatchObject({ state: 'done', result: { changed: true } });
  expect(lastAnswer().message.usage.totalTokens).toBeLessThan(cleaned.tokens.after + 200);
});
