import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SessionManager } from '@earendil-works/pi-coding-agent';
import { beforeEach, expect, test } from 'vitest';
import { HUNT, LONG, sample } from '../../../../test/setup/hunt.ts';
import { OCC_LAUNCHER, runOcc } from '../setup/run-occ.ts';
import { createSessionWithTurns, formatLines, readLines, writeSession } from '../setup/sessions.ts';
import { startChild } from '../setup/start-child.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';
import { endScheduledEdits, waitingProcessOf } from './scheduled-processes.ts';

const AGENT = new URL('./children/openclaw-agent.mjs', import.meta.url);
const PI = new URL('./children/pi-agent.mjs', import.meta.url);
const ID = '11111111-2222-3333-4444-555555555555';

let folder: string;
let stateDir: string;
let path: string;
let env: Record<string, string>;
beforeEach(() => {
  folder = makeTempFolder();
  stateDir = join(folder, 'state');
  path = writeSession(stateDir, 'main', ID, createSessionWithTurns(6, 2, { tree: true, resultLength: 2000 }));
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'occ'), `#!/bin/sh\nexec '${process.execPath}' '${OCC_LAUNCHER}' "$@"\n`);
  chmodSync(join(bin, 'occ'), 0o755);
  env = { OPENCLAW_STATE_DIR: stateDir, PATH: `${bin}:${process.env.PATH}`, HOME: process.env.HOME! };
});
endScheduledEdits(() => path);

async function lastScheduledEdit() {
  const { stdout } = await runOcc(['info', ID, '--json'], { env });
  return JSON.parse(stdout).lastScheduledEdit;
}

async function untilSettled() {
  while (waitingProcessOf(path) !== undefined) await sleep(50);
  return lastScheduledEdit();
}

test('an OpenClaw agent that cleans itself: its run goes on undisturbed, the edit follows by itself', async () => {
  const leaf = readLines(path).at(-1)!.id as string;
  const agent = startChild(AGENT, [path, 'occ edit --strip-tools=extreme --json', leaf], env);
  const called = JSON.parse(await agent.said('called'));
  expect(called).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(called.stdout)).toMatchObject({
    success: true,
    sessionId: ID,
    changed: false,
    scheduled: true,
    note: expect.stringContaining('own run'),
  });
  expect(JSON.parse(called.stdout)).not.toHaveProperty('backupPath');

  const during = readFileSync(path);
  expect(await lastScheduledEdit()).toMatchObject({ state: 'waiting' });
  agent.tell('relock');
  await agent.said('did relock');
  await sleep(500);
  expect(readFileSync(path)).toEqual(during);

  agent.tell('end');
  await agent.said('did end');
  const before = readFileSync(path);
  const done = await untilSettled();
  expect(done.error).toBeUndefined();
  expect(done).toMatchObject({ state: 'done', result: { changed: true, sessionId: ID } });
  expect(readFileSync(done.result.backupPath)).toEqual(before);
  const texts = readFileSync(path, 'utf8');
  expect(texts).not.toContain('call_0_0');
  // The exchange in which the agent asked for it is over by then and cleaned like the others.
  expect(readLines(path).at(-1)).toMatchObject({ id: 'run-4' });
  expect(readdirSync(dirname(path)).filter((name) => /lock|tmp|claim/.test(name))).toEqual([]);
  expect(agent.process.exitCode).toBeNull();
});

test.each(['--wait=100', '--when-idle'])('the same with %s: a run does not wait for itself', async (flag) => {
  const leaf = readLines(path).at(-1)!.id as string;
  const agent = startChild(AGENT, [path, `occ edit --strip-tools ${flag} --json`, leaf], env);
  expect(JSON.parse(JSON.parse(await agent.said('called')).stdout)).toMatchObject({ scheduled: true });
});

test.each(sample(['', ' --when-idle'], { gate: 1 }))(
  'where the run in progress is all that there is (occ edit%s): scheduled, and decided when it is over',
  HUNT,
  async (flag) => {
    const greeting = createSessionWithTurns(1, 0, { tree: true, sessionId: ID });
    writeFileSync(path, formatLines(greeting));
    const leaf = readLines(path).at(-1)!.id as string;
    const agent = startChild(AGENT, [path, `occ edit --strip-tools=extreme${flag} --json`, leaf], env);
    expect(JSON.parse(JSON.parse(await agent.said('called')).stdout)).toMatchObject({
      changed: false,
      scheduled: true,
      note: expect.stringContaining('At present there is nothing to clean.'),
    });
    agent.tell('end');
    await agent.said('did end');
    expect(await untilSettled()).toMatchObject({
      state: 'done',
      result: { changed: true, statistics: { toolCallsRemoved: 1 } },
    });
    expect(readFileSync(path, 'utf8')).not.toContain('call_clean');
  },
);

test('an agent that dies in its run: the edit follows all the same', LONG, async () => {
  const leaf = readLines(path).at(-1)!.id as string;
  const agent = startChild(AGENT, [path, 'occ edit --strip-tools=extreme --json', leaf], env);
  await agent.said('called');
  agent.process.kill('SIGKILL');
  await agent.ended;
  // The lock is left behind; the exchange will never be finished and counts as left behind after a minute.
  utimesSync(path, new Date(), new Date(Date.now() - 60_000));
  expect(await untilSettled()).toMatchObject({ state: 'done', result: { changed: true } });
  const texts = readFileSync(path, 'utf8');
  expect(texts).not.toContain('call_0_0');
  expect(texts, 'the open call belongs to the run and is never touched').toContain('call_clean');
  expect(existsSync(`${path}.lock`)).toBe(false);
});

test('pi that cleans itself: cleaned at once, the run goes on, and the next start has both', async () => {
  const sessions = join(folder, 'pi', 'sessions', '--work--');
  mkdirSync(sessions, { recursive: true });
  const own = join(sessions, `2026-01-01T00-00-00-000Z_${ID}.jsonl`);
  const lines = createSessionWithTurns(6, 2, { tree: true, resultLength: 2000, sessionId: ID });
  writeFileSync(own, formatLines(lines));
  const agent = startChild(PI, [own, 'occ edit --strip-tools=extreme --json'], {
    PATH: env.PATH!,
    PI_CODING_AGENT_DIR: join(folder, 'pi'),
  });
  const called = JSON.parse(await agent.said('called'));
  expect(called).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(called.stdout)).toMatchObject({
    sessionId: ID,
    changed: true,
    note: expect.stringContaining('next resume'),
  });
  expect(await agent.ended).toBe(0);

  const { messages } = SessionManager.open(own).buildSessionContext();
  const roles = messages.map(({ role }) => role);
  expect(roles.filter((role) => role === 'user')).toHaveLength(7);
  expect(roles.slice(-4)).toEqual(['user', 'assistant', 'toolResult', 'assistant']);
  expect(JSON.stringify(messages)).not.toContain('call_0_0');
  expect(JSON.stringify(messages.slice(-3))).toContain('call_clean');
});
