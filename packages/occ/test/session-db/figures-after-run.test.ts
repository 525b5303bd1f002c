/** A session that is cleaned during a run: what the run writes down at its end is corrected. */

import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { HUNT, LONG, sample } from '../../../../test/setup/hunt.ts';
import { findDatabaseFaults } from '../../../sessions/test/openclaw-db/setup/check-database.ts';
import { run } from '../../src/cli/main.ts';
import { waitingProcessOf } from '../in-use/scheduled-processes.ts';
import { createRecordingTerminal } from '../setup/recording-terminal.ts';
import { runOccHere } from '../setup/run-occ.ts';
import {
  AFTER_RUN,
  cleanItself,
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
import { readAsFile, readEntryOf, readLinesOf, readMarksOf } from './look-into.ts';

prepareRuns();

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

describe.each(sample(['gateway', 'local'], { gate: 1 }))(
  'an agent that cleans itself in a run of its own (%s)',
  (kind) => {
    test('its figures are corrected when the run is over, and restore puts them back', HUNT, async () => {
      const agent = makeAgent('run-1', kind);
      await agent.do('begin');
      const before = readAsFile(home.path, id);
      const entry = readEntryOf(home.path, KEY);
      const cleaned = await cleanItself(agent);
      expect(readEntryOf(home.path, KEY)).toEqual(entry);
      expect(cleaned).toMatchObject({ changed: true });
      expect(cleaned.note).toBe(
        "This is the session that called occ: its run continues with what it has in memory, and the next turn reads the cleaned session. OpenClaw's token counts are corrected when the run ends.",
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
      expect(readdirSync(home.kept).sort()).toEqual([`${id}.backup.1.jsonl`, `${id}.occ.json`]);
      expect((await runOccHere(['info', id], { env: home.env })).stdout).toMatch(
        /\n\nOpenClaw's token counts, after the edit during a run: corrected at 20\d\d-.*, from 95,000 to [\d,]+\n$/,
      );

      const restored = await home.json('restore', id);
      expect(restored).toMatchObject({
        linesKept: 2,
        sizeAfter: Buffer.byteLength(readAsFile(home.path, id)),
      });
      expect(lastAnswer()).toEqual(recorded);
      expect(readAsFile(home.path, id).startsWith(before)).toBe(true);
      expect(readCounters()).toEqual({
        totalTokens: AFTER_RUN,
        totalTokensFresh: true,
        contextBudgetStatus: { full: 'run-1' },
      });
      expect(findDatabaseFaults(home.path)).toEqual([]);
    });
  },
);

test('a clean from outside during a run', LONG, async () => {
  const agent = makeAgent('run-1');
  await agent.do('begin');
  const entry = readEntryOf(home.path, KEY);
  const cleaned = await home.json('edit', id, '--strip-tools=extreme');
  // OpenClaw gives up a change of the entry that it is about to make when somebody else changes it.
  expect(readEntryOf(home.path, KEY)).toEqual(entry);
  expect(cleaned.note).toBe(
    "A run of this session is in progress: it continues with what it has in memory, and the next turn reads the cleaned session. OpenClaw's token counts are corrected when the run ends.",
  );
  await agent.do(`answer ${AFTER_RUN}`);
  expect(await readScheduled()).toMatchObject({ state: 'waiting' });
  expect(lastAnswer().message.usage.totalTokens).toBe(AFTER_RUN);
  await agent.do('end');
  expect(await untilSettled()).toMatchObject({ state: 'done', result: { changed: true } });
  expectCorrected(cleaned.tokens.after);
});

test('if no process can be started that waits for its end, the note says why', async () => {
  const agent = makeAgent('run-1');
  await agent.do('begin');
  const terminal = createRecordingTerminal();
  // More than a process can be given.
  const env = { ...home.env, LARGE: 'x'.repeat(8_000_000) };
  const code = await run(['edit', id, '--strip-tools=extreme', '--json'], {
    env,
    cwd: home.folder,
    terminal,
  });
  expect([code, terminal.stderr]).toEqual([0, '']);
  const { changed, note } = JSON.parse(terminal.stdout);
  expect(changed).toBe(true);
  expect(note).toMatch(
    /^A run of this session is in progress: .* cannot be corrected when the run ends: spawn E2BIG\. The session is clean\./,
  );
  expect(await readScheduled()).toBeUndefined();
  expect(home.journal(id)).toHaveLength(1);
});

test('a clean after the run starts nothing', async () => {
  const agent = makeAgent('run-1');
  await agent.do('begin');
  await agent.do(`answer ${AFTER_RUN}`);
  await agent.do('end');
  // Who has the database open is there still, and keeps a list in memory.
  const { note } = await home.json('edit', id, '--strip-tools=extreme');
  expect(note).toBe('A running gateway may list the old token count until the next turn of this session.');
  expect(await readScheduled()).toBeUndefined();
});

test('an edit that changes nothing starts nothing', async () => {
  const agent = makeAgent('run-1');
  await agent.do('begin');
  expect(await home.json('edit', id, '--keep', '100', '--truncate', '0')).toMatchObject({ changed: false });
  expect(await readScheduled()).toBeUndefined();
});

test('a run that never ends, but whose process dies', LONG, async () => {
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

test('two cleans in one run: the figures are those of the second', LONG, async () => {
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

test('a killed process is reported, and nothing is lost', async () => {
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
      message: expect.stringContaining('ended before it corrected them'),
      hint: expect.stringContaining('clean'),
    },
  });
  expect(lastAnswer().message.usage.totalTokens).toBe(AFTER_RUN);
  await home.json('restore', id);
  expect(readCounters()).toMatchObject({ totalTokens: AFTER_RUN, totalTokensFresh: true });
  expect(findDatabaseFaults(home.path)).toEqual([]);
});
