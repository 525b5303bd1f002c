/** What waits to correct figures after a run, where there is little or nothing to correct. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { LONG } from '../../../../test/setup/hunt.ts';
import { findDatabaseFaults } from '../../../sessions/test/openclaw-db/setup/check-database.ts';
import { readRecord } from '../../src/schedule/record.ts';
import {
  correctAfterRun,
  type FiguresRun,
} from '../../src/storage/openclaw-sqlite/figures/correct-after-run.ts';
import { waitingProcessOf } from '../in-use/scheduled-processes.ts';
import { runOccHere } from '../setup/run-occ.ts';
import {
  AFTER_RUN,
  type Agent,
  FULL,
  home,
  id,
  isAlive,
  journalled,
  KEY,
  lastAnswer,
  makeAgent,
  prepareRuns,
  readCounters,
  readScheduled,
  untilSettled,
} from './database-run.ts';
import { changeDatabase, readAsFile, readEntryOf, readLinesOf, readMarksOf } from './look-into.ts';

prepareRuns();

describe('in this process', () => {
  /** A session that was cleaned during a run, and nobody who waits for its end. */
  async function leaveToUs(): Promise<FiguresRun> {
    await home.json('edit', id, '--strip-tools=extreme');
    const waiting = waitingProcessOf(journalled)!;
    process.kill(waiting, 'SIGKILL');
    while (isAlive(waiting)) await sleep(20);
    return { id: readRecord(journalled)!.id, path: journalled, pollMs: 1, quietLooks: 2 };
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

  test('counters that are written a moment after the end', LONG, async () => {
    const agent = makeAgent('run-1');
    await agent.do('begin');
    const run = await leaveToUs();
    await agent.do(`answer ${AFTER_RUN}`);
    await agent.do('end');
    let raised = 0;
    await correctAfterRun({
      ...run,
      sleep: async () => {
        // When it was corrected already.
        if (readCounters().totalTokensFresh === false && ++raised === 1) await agent.do('end');
      },
    });
    expect(raised).toBeGreaterThan(1);
    expect(readCounters()).toMatchObject({ totalTokensFresh: false });
    expect(findDatabaseFaults(home.path)).toEqual([]);
  });

  test('it gives up after its time, and says so', LONG, async () => {
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
  async function cleanDuringRun(): Promise<{ agent: Agent; waiting: number }> {
    const agent = makeAgent('run-1');
    await agent.do('begin');
    await home.json('edit', id, '--strip-tools=extreme');
    await agent.do(`answer ${AFTER_RUN}`);
    return { agent, waiting: waitingProcessOf(journalled)! };
  }

  test('when another program rewrites the session', LONG, async () => {
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
    expect((await runOccHere(['info', id], { env: home.env })).stdout).toMatch(
      /token counts.*: done at .*, nothing was changed: The session was rewritten meanwhile\.\n$/,
    );
  });

  test('when the key leads to another session', LONG, async () => {
    await cleanDuringRun();
    changeDatabase(
      home.path,
      `UPDATE session_nodes SET current_session_id = 'other', entry_json = json_set(entry_json, '$.sessionId', 'other')`,
    );
    const journal = () => JSON.parse(readFileSync(join(home.kept, `${id}.occ.json`), 'utf8'));
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

  test('when the state folder is gone, without making it again', LONG, async () => {
    const { agent, waiting } = await cleanDuringRun();
    agent.process.kill('SIGKILL');
    await agent.ended;
    rmSync(join(home.folder, '.openclaw'), { recursive: true });
    while (isAlive(waiting)) await sleep(20);
    expect(existsSync(join(home.folder, '.openclaw'))).toBe(false);
  });
});
