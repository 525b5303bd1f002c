/** A session in a database, an agent that has a run of it, and what became of the figures. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect } from 'vitest';
import { generateEvents } from '../../../sessions/test/openclaw-db/setup/compose-turns.ts';
import { endScheduledEdits } from '../in-use/scheduled-processes.ts';
import { OCC_LAUNCHER } from '../setup/run-occ.ts';
import { type Child, startChild } from '../setup/start-child.ts';
import { type DatabaseHome, type Json, makeHome } from './database-home.ts';
import { readEntryOf, readLinesOf } from './look-into.ts';

const AGENT = new URL('./children/database-agent.ts', import.meta.url);
export const KEY = 'agent:main:main';
export const FULL = 90_000;
export const AFTER_RUN = 95_000;

/** Of the test that is under way. */
export let home: DatabaseHome;
export let id: string;
/** The transcript's name, beside which the journal is. */
export let journalled: string;

/** To be called once, outside of tests. */
export function prepareRuns(): void {
  beforeEach(() => {
    const events = generateEvents({ seed: 7, turns: 6, rounds: 2, resultLength: 4000 });
    const entry = { totalTokens: FULL, totalTokensFresh: true, contextBudgetStatus: { full: 'before' } };
    const made = makeHome([{ key: KEY, events, entry }]);
    home = made;
    id = made.made[0]!.sessionId;
    journalled = join(home.sessions, `${id}.jsonl`);
  });
  endScheduledEdits(() => journalled);
}

export interface Agent extends Child {
  /** One step of the run; resolves when it is done. */
  do(step: string): Promise<string>;
}

export function makeAgent(runId: string, ...kind: string[]): Agent {
  const bin = join(home.folder, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'occ'), `#!/bin/sh\nexec '${process.execPath}' '${OCC_LAUNCHER}' "$@"\n`);
  chmodSync(join(bin, 'occ'), 0o755);
  const env = { ...home.env, PATH: `${bin}:${process.env.PATH}` };
  const agent = startChild(AGENT, [home.path, id, KEY, runId, ...kind], env);
  let count = 0;
  return {
    ...agent,
    do: (step) => {
      agent.tell(step);
      return agent.said(`did-${++count}`);
    },
  };
}

/** The command as the agent calls it, on its own session. */
export async function cleanItself(agent: Agent, flags = '--strip-tools=extreme'): Promise<Json> {
  await agent.do(`call occ edit ${flags} --json`);
  const called = JSON.parse(await agent.said('called'));
  expect(called).toMatchObject({ code: 0, stderr: '' });
  return JSON.parse(called.stdout);
}

export const readScheduled = async (): Promise<Json> => (await home.json('info', id)).lastScheduledEdit;

export async function untilSettled(): Promise<Json> {
  for (;;) {
    const scheduled = await readScheduled();
    if (scheduled.state !== 'waiting') return scheduled;
    await sleep(50);
  }
}

const readMessages = (): Json[] =>
  readLinesOf(home.path, id)
    .map(({ text }) => JSON.parse(text))
    .filter(({ message }) => message !== undefined);
export const lastAnswer = (): Json => readMessages().findLast(({ message }) => message.role === 'assistant');
export const readCounters = () => {
  const { totalTokens, totalTokensFresh, contextBudgetStatus } = readEntryOf(home.path, KEY).entry;
  return { totalTokens, totalTokensFresh, contextBudgetStatus };
};

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    if (!existsSync('/proc/self/stat')) return true;
    // It has ended where nobody has collected it yet.
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}
