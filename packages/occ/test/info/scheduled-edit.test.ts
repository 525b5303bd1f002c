import { appendFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { runOcc, runOccHere } from '../setup/run-occ.ts';
import { createSessionWithTurns, formatLines, writeSession } from '../setup/sessions.ts';
import { makeTempFolder } from '../setup/temp-folder.ts';

const ID = 'abc12345-0000-4000-8000-000000000002';

it('an edit that waits for a run to end shows in info, while it waits and when it is done', async () => {
  const stateDir = makeTempFolder();
  const lines = createSessionWithTurns(6, 1, { resultLength: 2000 });
  const answer = lines.pop()!;
  const path = writeSession(stateDir, 'main', ID, lines);
  const readScheduled = async () => {
    const { stdout } = await runOccHere(['info', ID, '--state-dir', stateDir, '--json']);
    return JSON.parse(stdout).lastScheduledEdit;
  };
  const readReport = async () => (await runOccHere(['info', ID, '--state-dir', stateDir])).stdout;

  expect(await readScheduled()).toBeUndefined();
  const scheduled = await runOcc([
    'edit',
    ID,
    '--keep',
    '1',
    '--when-idle',
    '--state-dir',
    stateDir,
    '--json',
  ]);
  expect(JSON.parse(scheduled.stdout)).toMatchObject({ changed: false, scheduled: true });
  expect(await readScheduled()).toEqual({ state: 'waiting', requestedAt: expect.any(String) });
  expect(await readReport()).toMatch(
    /\n\nLast scheduled edit: waiting since 20\d\d-.* for the run to end\n$/,
  );

  appendFileSync(path, formatLines([answer]));
  let report = await readScheduled();
  while (report.state === 'waiting') {
    await sleep(200);
    report = await readScheduled();
  }
  expect(Object.keys(report)).toEqual(['state', 'requestedAt', 'finishedAt', 'result']);
  expect(report).toMatchObject({
    state: 'done',
    result: {
      success: true,
      mode: 'edit',
      sessionId: ID,
      changed: true,
      statistics: { toolCallsRemoved: 5 },
    },
  });
  expect(await readReport()).toMatch(
    /\n\nLast scheduled edit: done at 20\d\d-.*\n {2}Tool calls: 5 removed, 0 truncated\n {2}Context: .*\n {2}Backup: .*\n$/,
  );
});

it('one whose process was ended has failed, and nothing is lost', async () => {
  const stateDir = makeTempFolder();
  const path = writeSession(stateDir, 'main', ID, createSessionWithTurns(2, 1));
  const journal = {
    rewrites: [],
    scheduled: {
      id: 'x',
      state: 'waiting',
      requestedAt: '2026-11-15T20:58:01.000Z',
      toolRemoval: { keepTurnsWithTools: 1, truncatePercent: 0 },
      // No process has this number.
      process: { pid: 2 ** 30, starttime: 1 },
    },
  };
  writeFileSync(path.replace('.jsonl', '.occ.json'), JSON.stringify(journal));
  const { stdout } = await runOccHere(['info', ID, '--state-dir', stateDir]);
  expect(stdout).toMatch(
    /Last scheduled edit: failed at 2026-11-15 20:58 UTC: .*\n {2}No line was lost; run the edit again/,
  );
});

it.each(['not json', '[]', '{"scheduled":5}', '{"scheduled":{}}'])(
  'a journal that says nothing is no failure: %s',
  async (text) => {
    const stateDir = makeTempFolder();
    const path = writeSession(stateDir, 'main', ID, createSessionWithTurns(2, 1));
    writeFileSync(path.replace('.jsonl', '.occ.json'), text);
    const { code, stdout } = await runOccHere(['info', ID, '--state-dir', stateDir]);
    expect(code).toBe(0);
    expect(stdout).not.toMatch(/NaN|undefined|scheduled/);
  },
);
