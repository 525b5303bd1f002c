import { appendFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readProcessStat } from '@openbot/sessions/disk';
import { beforeEach, expect, test } from 'vitest';
import { type IdleOutcome, waitUntilIdle } from '../../src/in-use/wait-until-idle.ts';
import { startChild } from '../setup/start-child.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';
import { chain, OPENCLAW } from './exchanges.ts';

const child = (name: string) => new URL(`./children/${name}.mjs`, import.meta.url);
const { header, question, call, result, answer } = OPENCLAW;
const MINUTES = 600_000;

let path: string;
beforeEach(() => {
  path = join(makeTempFolder(), 's.jsonl');
  writeFileSync(path, chain([header, question, call, result, answer]));
});

/** A wait that can be asked whether it is over. */
function wait(options: Partial<Parameters<typeof waitUntilIdle>[1]> = {}) {
  let outcome: IdleOutcome | undefined;
  const over = waitUntilIdle(path, { waitMs: MINUTES, quietMs: 50, pollMs: 10, ...options }).then((found) => {
    outcome = found;
    return found;
  });
  return {
    over,
    get outcome() {
      return outcome;
    },
  };
}

function append(line: object, id: string, parentId: string): void {
  appendFileSync(path, `${JSON.stringify({ id, parentId, ...line })}\n`);
}

test('not in use: over as soon as it was quiet for a moment', async () => {
  expect(await wait().over).toEqual({ state: 'idle' });
});

test('waits for a lock to be let go', async () => {
  const holder = startChild(child('hold-lock'), [path]);
  await holder.said('held');
  const waiting = wait();
  await sleep(100);
  expect(waiting.outcome).toBeUndefined();
  holder.tell('release');
  expect(await waiting.over).toEqual({ state: 'idle' });
});

test('does not wait for a holder that was killed', async () => {
  const holder = startChild(child('hold-lock'), [path]);
  await holder.said('held');
  const waiting = wait();
  await sleep(50);
  holder.process.kill('SIGKILL');
  expect(await waiting.over).toEqual({ state: 'idle' });
});

test('waits for the end of the exchange, step by step', async () => {
  append(question, 'a', 'e4');
  const waiting = wait();
  await sleep(100);
  append(call, 'b', 'a');
  await sleep(100);
  append(result, 'c', 'b');
  await sleep(100);
  expect(waiting.outcome).toBeUndefined();
  append(answer, 'd', 'c');
  expect(await waiting.over).toEqual({ state: 'idle' });
});

test('an exchange that was left behind long ago is not waited for', async () => {
  append(question, 'a', 'e4');
  utimesSync(path, new Date(0), new Date(0));
  expect(await wait().over).toEqual({ state: 'idle' });
});

test('while the process of the run lives, an unfinished exchange counts at any age', async () => {
  append(question, 'a', 'e4');
  utimesSync(path, new Date(0), new Date(0));
  const runner = startChild(child('hold-open'), ['/dev/null', 'r']);
  await runner.said('open');
  const starttime = readProcessStat(runner.pid)?.starttime;
  const waiting = wait({ runner: { pid: runner.pid, starttime } });
  await sleep(150);
  expect(waiting.outcome).toBeUndefined();
  runner.process.kill('SIGKILL');
  await runner.ended;
  expect(await waiting.over).toEqual({ state: 'idle' });
});

test('when the time is over: names the process that uses it', async () => {
  const holder = startChild(child('hold-lock'), [path]);
  await holder.said('held');
  expect(await wait({ waitMs: 60 }).over).toMatchObject({
    state: 'in-use',
    use: { kind: 'lock', pid: holder.pid },
  });
});

test('can be called off', async () => {
  append(question, 'a', 'e4');
  let looks = 0;
  expect(await wait({ goOn: () => ++looks < 4 }).over).toEqual({ state: 'called-off' });
  expect(looks).toBe(4);
});

test('locks only, where the guess was overridden', async () => {
  append(question, 'a', 'e4');
  expect(await wait({ ignoreUnfinished: true }).over).toEqual({ state: 'idle' });
});

test('a transcript that disappears is not in use', async () => {
  append(question, 'a', 'e4');
  const waiting = wait();
  await sleep(50);
  rmSync(path);
  expect(await waiting.over).toEqual({ state: 'idle' });
});
