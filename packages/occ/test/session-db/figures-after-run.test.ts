/** A session that is cleaned during a run: what the run writes down at its end is corrected. */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { findDatabaseFaults } from '../../../sessions/test/openclaw-db/setup/check-database.ts';
import { generateEvents } from '../../../sessions/test/openclaw-db/setup/compose-turns.ts';
import { correctAfterRun, type FiguresRun } from '../../src/session-db/correct-after-run.ts';
import { keeperOf } from '../../src/session-file/schedule-keeper.ts';
import { endScheduledEdits, waitingProcessOf } from '../in-use/scheduled-processes.ts';
import { OCC_LAUNCHER, runOcc } from '../setup/run-occ.ts';
import { type Child, startChild } from '../setup/start-child.ts';
import { type DatabaseHome, type Json, makeHome } from './database-home.ts';
import { changeDatabase, readAsFile, readEntryOf, readLinesOf, readMarksOf } from './look-into.ts';

const AGENT = new URL('./children/database-agent.ts', import.meta.url);
const KEY = 'agent:main:main';
const FULL = 90_000;
const AFTER_RUN = 95_000;

let home: DatabaseHome;
let id: string;
let journalled: string;
beforeEach(() => {
  const events = generateEvents({ seed: 7, turns: 6, rounds: 2, resultLength: 4000 });
  const entry = { totalTokens: FULL, totalTokensFresh: true, contextBudgetStatus: { full: 'before' } };
  const made = makeHome([{ key: KEY, events, entry }]);
  home = made;
  id = made.made[0]!.sessionId;
  journalled = join(home.sessions, `${id}.jsonl`);
});
endScheduledEdits(() => journalled);

function makeAgent(runId: string, ...kind: string[]): Child & { do(step: string): Promise<string> } {
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
async function cleanItself(
  agent: ReturnType<typeof makeAgent>,
  flags = '--strip-tools=extreme',
): Promise<Json> {
  await agent.do(`call occ edit ${flags} --json`);
  const called = JSON.parse(await agent.said('called'));
  expect(called).toMatchObject({ code: 0, stderr: '' });
  return JSON.parse(called.stdout);
}

const readScheduled = async (): Promise<Json> => (await home.json('info', id)).lastScheduledEdit;

async function untilSettled(): Promise<Json> {
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
const lastAnswer = (): Json => readMessages().findLast(({ message }) => message.role === 'assistant');
const readCounters = () => {
  const { totalTokens, totalTokensFresh, contextBudgetStatus } = readEntryOf(home.path, KEY).entry;
  return { totalTokens, totalTokensFresh, contextBudgetStatus };
};

const COST = { cost: { total: 1 } };

/** The figures of a session that was cleaned and said one more answer. */
function expectCorrected(tokensAfter: number): void {
  const { usage } = lastAnswer().message;
  expect(usage).toMatchObject({ ...COST, estimatedBy: expect.any(String) });
  expect(usage.totalTokens).toBeGreaterThan(tokensAfter);
  expect(usage.totalTokens).toBeLessThan(tokensAfter + 200);
  expect(readCounters()).toEqual({ totalTokens: usage.totalTokens, totalTokensFresh: false });
  expect(readEntryOf(home.path, KEY).valid).toBe(1);
  expect(findDatabaseFaults(home.path)).toEqual([]);
}

describe.each(['gateway', 'local'])('an agent that cleans itself in a run of its own (%s)', (kind) => {
  test('its figures are corrected when the run is over, and restore puts them back', async () => {
    const agent = makeAgent('run-1', kind);
    await agent.do('begin');
    const before = readAsFile(home.path, id);
    const entry = readEntryOf(home.path, KEY);
    const cleaned = await cleanItself(agent);
    expect(readEntryOf(home.path, KEY)).toEqual(entry);
    expect(cleaned).toMatchObject({ changed: true });
    expect(cleaned.note).toBe(
      "This is the session that called occ: its run goes on with what it has in memory, and the next turn sees the cleaned session. OpenClaw's token counts are corrected when the run ends.",
    );
    expect(await readScheduled()).toEqual({
      state: 'waiting',
      requestedAt: expect.any(String),
      corrects: 'figures',
    });

    await agent.do(`answer ${AFTER_RUN}`);
    const { generation, updatedAt } = readMarksOf(home.path, id);
    const recorded = lastAnswer();
    const lines = readLinesOf(home.path, id);
    await agent.do('end');
    agent.process.stdin!.end();

    expect(await untilSettled()).toEqual({
      state: 'done',
      requestedAt: expect.any(String),
      finishedAt: expect.any(String),
      corrects: 'figures',
      result: { mode: 'figures', changed: true, tokens: { before: AFTER_RUN, after: expect.any(Number) } },
    });
    expectCorrected(cleaned.tokens.after);
    const marks = readMarksOf(home.path, id);
    expect(marks.generation).not.toBe(generation);
    expect(marks.updatedAt).toBeGreaterThan(updatedAt);
    // Nothing else has changed.
    const corrected = lastAnswer();
    expect({ ...corrected, message: { ...corrected.message, usage: 0 } }).toEqual({
      ...recorded,
      message: { ...recorded.message, usage: 0 },
    });
    expect(readLinesOf(home.path, id).slice(0, -1)).toEqual(lines.slice(0, -1));
    expect(Object.keys(home.backups(id))).toEqual(['1']);
    expect(readdirSync(home.sessions).sort()).toEqual([`${id}.backup.1.jsonl`, `${id}.occ.json`]);
    expect((await runOcc(['info', id], { env: home.env })).stdout).toMatch(
      /\n\nOpenClaw's token counts, after the edit during a run: corrected at 20\d\d-.*, from 95,000 to [\d,]+\n$/,
    );

    const restored = await home.json('restore', id);
    expect(restored).toMatchObject({ linesKept: 2, sizeAfter: Buffer.byteLength(readAsFile(home.path, id)) });
    expect(lastAnswer()).toEqual(recorded);
    expect(readAsFile(home.path, id).startsWith(before)).toBe(true);
    expect(readCounters()).toEqual({
      totalTokens: AFTER_RUN,
      totalTokensFresh: true,
      contextBudgetStatus: { full: 'run-1' },
    });
    expect(findDatabaseFaults(home.path)).toEqual([]);
  });
});

test('a clean from outside during a run', async () => {
  const agent = makeAgent('run-1');
  await agent.do('begin');
  const entry = readEntryOf(home.path, KEY);
  const cleaned = await home.json('edit', id, '--strip-tools=extreme');
  // OpenClaw gives up a change of the entry that it is about to make when somebody else changes it.
  expect(readEntryOf(home.path, KEY)).toEqual(entry);
  expect(cleaned.note).toBe(
    "A run of this session is in progress: it goes on with what it has in memory, and the next turn sees the cleaned session. OpenClaw's token counts are corrected when the run ends.",
  );
  await agent.do(`answer ${AFTER_RUN}`);
  expect(await readScheduled()).toMatchObject({ state: 'waiting' });
  expect(lastAnswer().message.usage.totalTokens).toBe(AFTER_RUN);
  await agent.do('end');
  expect(await untilSettled()).toMatchObject({ state: 'done', result: { changed: true } });
  expectCorrected(cleaned.tokens.after);
});

test('a run whose process died before the clean: the counters are lowered at once', async () => {
  const agent = makeAgent('run-1');
  await agent.do('begin');
  agent.process.kill('SIGKILL');
  await agent.ended;
  const cleaned = await home.json('edit', id, '--strip-tools=extreme');
  expect(readCounters()).toEqual({ totalTokens: cleaned.tokens.after, totalTokensFresh: false });
});

test('a clean after the run starts nothing', async () => {
  const agent = makeAgent('run-1');
  await agent.do('begin');
  await agent.do(`answer ${AFTER_RUN}`);
  await agent.do('end');
  expect(await home.json('edit', id, '--strip-tools=extreme')).not.toHaveProperty('note');
  expect(await readScheduled()).toBeUndefined();
});

test('an edit that changes nothing starts nothing', async () => {
  const agent = makeAgent('run-1');
  await agent.do('begin');
  expect(await home.json('edit', id, '--keep', '100', '--truncate', '0')).toMatchObject({ changed: false });
  expect(await readScheduled()).toBeUndefined();
});

test('a run that never ends, but whose process dies', async () => {
  const agent = makeAgent('run-1');
  await agent.do('begin');
  const cleaned = await cleanItself(agent);
  await agent.do(`answer ${AFTER_RUN}`);
  agent.process.kill('SIGKILL');
  await agent.ended;
  expect(await untilSettled()).toMatchObject({ state: 'done', result: { changed: true } });
  expect(readEntryOf(home.path, KEY).entry.status).toBe('running');
  expect(lastAnswer().message.usage.totalTokens).toBeLessThan(cleaned.tokens.after + 200);
  expect(findDatabaseFaults(home.path)).toEqual([]);
});

test('two cleans in one run: the figures are those of the second', async () => {
  const agent = makeAgent('run-1');
  await agent.do('begin');
  const first = await home.json('edit', id, '--keep', '3');
  const waiting = waitingProcessOf(journalled)!;
  const second = await home.json('edit', id, '--strip-tools=extreme');
  expect(second.tokens.after).toBeLessThan(first.tokens.after);
  expect(waitingProcessOf(journalled)).not.toBe(waiting);
  await agent.do(`answer ${AFTER_RUN}`);
  await agent.do('end');
  expect(await untilSettled()).toMatchObject({ state: 'done', result: { changed: true } });
  expectCorrected(second.tokens.after);
  while (isAlive(waiting)) await sleep(20);
  expectCorrected(second.tokens.after);

  // The first backup is without the answer, which has its own usage again, though it was lowered after the second clean.
  await home.json('restore', id, '--backup', '1');
  expect(lastAnswer().message.usage.totalTokens).toBe(AFTER_RUN);
});

test('a process that was killed is told of, and nothing is lost', async () => {
  const agent = makeAgent('run-1');
  await agent.do('begin');
  await home.json('edit', id, '--strip-tools=extreme');
  const waiting = waitingProcessOf(journalled)!;
  process.kill(waiting, 'SIGKILL');
  while (isAlive(waiting)) await sleep(20);
  await agent.do(`answer ${AFTER_RUN}`);
  await agent.do('end');
  expect(await readScheduled()).toMatchObject({
    state: 'failed',
    corrects: 'figures',
    error: {
      message: expect.stringContaining('ended before its time'),
      hint: expect.stringContaining('clean'),
    },
  });
  expect(lastAnswer().message.usage.totalTokens).toBe(AFTER_RUN);
  await home.json('restore', id);
  expect(readCounters()).toMatchObject({ totalTokens: AFTER_RUN, totalTokensFresh: true });
  expect(findDatabaseFaults(home.path)).toEqual([]);
});

describe('in this process', () => {
  /** A session that was cleaned during a run, and nobody who waits for its end. */
  async function leaveToUs(): Promise<FiguresRun> {
    await home.json('edit', id, '--strip-tools=extreme');
    const waiting = waitingProcessOf(journalled)!;
    process.kill(waiting, 'SIGKILL');
    while (isAlive(waiting)) await sleep(20);
    const keeper = keeperOf({ path: journalled, source: 'openclaw' });
    return { id: (await keeper.read())!.id, keeper, pollMs: 1, quietLooks: 2 };
  }

  test('figures that are low stay', async () => {
    const agent = makeAgent('run-1');
    await agent.do('begin');
    const run = await leaveToUs();
    await agent.do('answer 300');
    await agent.do('end');
    const [before, entry] = [readLinesOf(home.path, id), readEntryOf(home.path, KEY)];
    const marks = readMarksOf(home.path, id);
    await correctAfterRun(run);
    expect(await readScheduled()).toMatchObject({
      state: 'done',
      result: { changed: false, note: 'They were not too high.' },
    });
    expect(readLinesOf(home.path, id)).toEqual(before);
    expect(readEntryOf(home.path, KEY)).toEqual(entry);
    expect(readMarksOf(home.path, id)).toEqual(marks);
  });

  test('counters alone', async () => {
    const agent = makeAgent('run-1');
    await agent.do('begin');
    const run = await leaveToUs();
    await agent.do(`answer ${AFTER_RUN}`);
    await agent.do('end');
    changeDatabase(
      home.path,
      `UPDATE transcript_events SET event_json = replace(event_json, '${AFTER_RUN}', '300') WHERE event_zstd IS NULL`,
      'UPDATE transcript_events SET event_utf8_bytes = octet_length(event_json) WHERE event_zstd IS NULL',
    );
    const [before, marks] = [readLinesOf(home.path, id), readMarksOf(home.path, id)];
    await correctAfterRun(run);
    expect(readCounters()).toEqual({ totalTokens: expect.any(Number), totalTokensFresh: false });
    expect(readCounters().totalTokens).toBeLessThan(FULL);
    expect(readLinesOf(home.path, id)).toEqual(before);
    expect(readMarksOf(home.path, id)).toEqual(marks);
    expect(findDatabaseFaults(home.path)).toEqual([]);
    await home.json('restore', id);
    expect(readCounters()).toMatchObject({ totalTokens: AFTER_RUN, totalTokensFresh: true });
  });

  test('counters that are written a moment after the end', async () => {
    const agent = makeAgent('run-1');
    await agent.do('begin');
    const { keeper, ...run } = await leaveToUs();
    await agent.do(`answer ${AFTER_RUN}`);
    await agent.do('end');
    let raised = 0;
    await correctAfterRun({
      ...run,
      keeper: {
        ...keeper,
        read: async () => {
          // When it was corrected already.
          if (readCounters().totalTokensFresh === false && ++raised === 1) await agent.do('end');
          return keeper.read();
        },
      },
    });
    expect(raised).toBeGreaterThan(1);
    expect(readCounters()).toMatchObject({ totalTokensFresh: false });
    expect(findDatabaseFaults(home.path)).toEqual([]);
  });

  test('it gives up after its time, and says so', async () => {
    const agent = makeAgent('run-1');
    await agent.do('begin');
    await correctAfterRun({ ...(await leaveToUs()), limitMs: 0 });
    expect(await readScheduled()).toMatchObject({
      state: 'failed',
      error: { message: 'Gave up: the run has not ended', hint: expect.any(String) },
    });
  });
});

describe('it ends by itself', () => {
  async function cleanDuringRun(): Promise<{ agent: ReturnType<typeof makeAgent>; waiting: number }> {
    const agent = makeAgent('run-1');
    await agent.do('begin');
    await home.json('edit', id, '--strip-tools=extreme');
    await agent.do(`answer ${AFTER_RUN}`);
    return { agent, waiting: waitingProcessOf(journalled)! };
  }

  test('when somebody else rewrites the session', async () => {
    const { agent } = await cleanDuringRun();
    await home.json('restore', id);
    const after = readAsFile(home.path, id);
    const done = await untilSettled();
    expect(done).toMatchObject({
      state: 'done',
      result: { changed: false, note: expect.stringContaining('rewritten') },
    });
    await agent.do('end');
    expect(readAsFile(home.path, id)).toBe(after);
    expect((await runOcc(['info', id], { env: home.env })).stdout).toMatch(
      /token counts.*: done at .*, nothing was changed: The session was rewritten meanwhile\.\n$/,
    );
  });

  test('when the key leads to another session', async () => {
    await cleanDuringRun();
    changeDatabase(
      home.path,
      `UPDATE session_nodes SET current_session_id = 'other', entry_json = json_set(entry_json, '$.sessionId', 'other')`,
    );
    const journal = () => JSON.parse(readFileSync(join(home.sessions, `${id}.occ.json`), 'utf8'));
    while (journal().scheduled.state === 'waiting') await sleep(50);
    expect(journal().scheduled.result).toMatchObject({
      changed: false,
      note: expect.stringContaining('reset'),
    });
  });

  test('when the next turn has begun', async () => {
    const { agent } = await cleanDuringRun();
    changeDatabase(
      home.path,
      `UPDATE session_nodes SET entry_json = json_set(entry_json, '$.lifecycleRunId', 'run-2')`,
    );
    expect(await untilSettled()).toMatchObject({ state: 'done', result: { changed: false } });
    expect(lastAnswer().message.usage.totalTokens).toBe(AFTER_RUN);
    expect(agent.process.exitCode).toBeNull();
  });

  test('when the state folder is gone, without making it again', async () => {
    const { agent, waiting } = await cleanDuringRun();
    agent.process.kill('SIGKILL');
    await agent.ended;
    rmSync(join(home.folder, '.openclaw'), { recursive: true });
    while (isAlive(waiting)) await sleep(20);
    expect(existsSync(join(home.folder, '.openclaw'))).toBe(false);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    if (!existsSync('/proc/self/stat')) return true;
    // It has ended where nobody has collected it yet.
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}
