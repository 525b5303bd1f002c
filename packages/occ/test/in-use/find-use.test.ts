import { appendFileSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { withTranscriptLock } from '@openbot/sessions/transcript';
import { beforeEach, describe, expect, test } from 'vitest';
import { LONG } from '../../../../test/setup/hunt.ts';
import { findUse } from '../../src/in-use/find-use.ts';
import { findOpenWriter } from '../../src/in-use/open-writers.ts';
import { startChild } from '../setup/start-child.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';
import { chain, OPENCLAW } from './exchanges.ts';

const child = (name: string) => new URL(`./children/${name}.mjs`, import.meta.url);
const { header, question, call, result, answer } = OPENCLAW;
const ONLY_LINUX = 'only Linux shows which files a process has open';

let path: string;
beforeEach(() => {
  path = join(makeTempFolder(), 's.jsonl');
  writeFileSync(path, chain([header, question, call, result, answer]));
});

describe('a lock on the transcript', () => {
  test('of a live process: in use, and the process is named', async () => {
    const holder = startChild(child('hold-lock'), [path]);
    await holder.said('held');
    const use = await findUse(path);
    expect(use).toMatchObject({ kind: 'lock', pid: holder.pid, isAncestor: false, isBrief: false });
    expect(use).toMatchObject({ who: expect.stringContaining(`process ${holder.pid}`) });
    if (process.platform === 'linux') {
      expect(use).toMatchObject({ isKnownAlive: true, who: expect.stringContaining('hold-lock.mjs') });
    }
    holder.tell('release');
    await holder.ended;
    expect(await findUse(path)).toBeUndefined();
  });

  test('of a process that was killed: not in use, and the next process gets the lock', async () => {
    const holder = startChild(child('hold-lock'), [path]);
    await holder.said('held');
    holder.process.kill('SIGKILL');
    await holder.ended;
    expect(readdirSync(join(path, '..'))).toContain('s.jsonl.lock');
    expect(await findUse(path)).toBeUndefined();
    await withTranscriptLock(path, () => {});
    expect(readdirSync(join(path, '..'))).toEqual(['s.jsonl']);
  });

  test('that names a pid which is now another process: not in use', async () => {
    const { starttime = 1, ...record } = { pid: process.pid, createdAt: 'then', maxHoldMs: 300_000 } as {
      starttime?: number;
    };
    writeFileSync(`${path}.lock`, JSON.stringify({ ...record, starttime }));
    if (process.platform === 'linux') expect(await findUse(path)).toBeUndefined();
    else expect(await findUse(path)).toMatchObject({ kind: 'lock' });
  });

  test('of a process on another host: in use, although it cannot be checked', async () => {
    writeFileSync(`${path}.lock`, JSON.stringify({ pid: 1, starttime: 1, host: `not-${hostname()}` }));
    expect(await findUse(path)).toMatchObject({ kind: 'lock', isKnownAlive: false, isAncestor: false });
  });

  test('that says nothing: in use while it is young, then left behind', async () => {
    writeFileSync(`${path}.lock`, '');
    expect(await findUse(path)).toMatchObject({ kind: 'lock', isKnownAlive: false, pid: undefined });
    utimesSync(`${path}.lock`, new Date(0), new Date(0));
    expect(await findUse(path)).toBeUndefined();
  });

  test('that is a folder: in use', async () => {
    mkdirSync(`${path}.lock`);
    expect(await findUse(path)).toMatchObject({ kind: 'lock', isKnownAlive: false });
  });

  test('of a process above this one: known as an ancestor', async () => {
    const parent = startChild(child('hold-lock-above'), [path]);
    expect(JSON.parse(await parent.said('use'))).toMatchObject({
      kind: 'lock',
      pid: parent.pid,
      isAncestor: true,
    });
  });

  test('that this process holds itself does not count', async () => {
    await withTranscriptLock(path, async () => {
      if (process.platform === 'linux') expect(await findUse(path)).toBeUndefined();
    });
  });
});

describe('an unfinished exchange', () => {
  const now = () => statSync(path).mtimeMs;
  beforeEach(() => appendFileSync(path, `${JSON.stringify({ ...question, id: 'n', parentId: 'e4' })}\n`));

  test('in a file younger than a minute: in use', async () => {
    expect(await findUse(path, { now: now() + 59_999 })).toEqual({
      kind: 'unfinished',
      ageMs: 59_999,
      ownRun: 'no',
    });
  });

  test('in a file of a minute or more: left behind', async () => {
    expect(await findUse(path, { now: now() + 60_000 })).toBeUndefined();
  });

  test('in a file from a far future: a clock was wrong, not in use', async () => {
    expect(await findUse(path, { now: now() - 3_600_000 })).toBeUndefined();
  });

  test('of a run that is known to go on: in use at any age', async () => {
    expect(await findUse(path, { now: now() + 3_600_000, ownRun: 'aborts' })).toMatchObject({
      ownRun: 'aborts',
    });
    expect(await findUse(path, { now: now() + 3_600_000, isRunning: true })).toMatchObject({
      ownRun: 'no',
    });
  });

  test('with its answer: not in use', async () => {
    appendFileSync(path, `${JSON.stringify({ ...answer, id: 'o', parentId: 'n' })}\n`);
    expect(await findUse(path, { now: now() })).toBeUndefined();
  });
});

describe.skipIf(process.platform !== 'linux')(`a descriptor of another process (${ONLY_LINUX})`, () => {
  test.each(['a', 'r+', 'w'])('open with %j: in use, and the process is named', async (flags) => {
    const holder = startChild(child('hold-open'), [path, flags]);
    await holder.said('open');
    expect(await findUse(path)).toEqual({
      kind: 'writer',
      pid: holder.pid,
      who: `process ${holder.pid} (node hold-open.mjs)`,
      isAncestor: false,
    });
    holder.tell('close');
    await holder.ended;
    expect(await findUse(path)).toBeUndefined();
  });

  test('open for reading: not in use', async () => {
    const holder = startChild(child('hold-open'), [path, 'r']);
    await holder.said('open');
    expect(await findUse(path)).toBeUndefined();
  });

  test('by another name of the same folder: found as well', async () => {
    const holder = startChild(child('hold-open'), [
      join(path, '..', '..', join(path, '..').split('/').at(-1)!, 's.jsonl'),
      'a',
    ]);
    await holder.said('open');
    expect(await findUse(path)).toMatchObject({ kind: 'writer' });
  });

  test('one that opens, appends and closes every millisecond keeps nothing open', LONG, async () => {
    const appender = startChild(child('append-often'), [path]);
    await appender.said('appending');
    let found = 0;
    for (let look = 0; look < 20; look++) if ((await findOpenWriter(path)) !== undefined) found++;
    // A machine under load may stop the appender for a while between opening and closing, but not all the time.
    expect(found).toBeLessThan(10);
  });
});
