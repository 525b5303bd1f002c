import { setTimeout as sleep } from 'node:timers/promises';
import { describeFailure, type ScheduledEdit } from '../backups/scheduled-edit.ts';
import { describeUse } from '../in-use/decide-use.ts';
import { waitUntilIdle } from '../in-use/wait-until-idle.ts';
import { nameOwnProcess, type ScheduleKeeper } from './schedule.ts';

export interface ScheduledRun {
  readonly id: string;
  readonly path: string;
  readonly sessionId: string;
  readonly keeper: ScheduleKeeper;
  /** Makes the edit now, or throws: SESSION_IN_USE and LOCK_TIMEOUT mean that it is to be tried again. */
  readonly edit: () => Promise<object>;
  /** How long to wait before giving up. 24 hours. */
  readonly limitMs?: number;
  /** How long the session must have been left alone. 2 seconds. */
  readonly quietMs?: number;
}

const LIMIT_MS = 24 * 3_600_000;
const QUIET_MS = 2000;
const PAUSE_MS = 500;

/**
 * What a process does that was started to make a scheduled edit: waits, edits, and leaves the outcome in the journal.
 * Does nothing more when another scheduled edit took the place of this one. Never throws.
 */
export async function runScheduledEdit(run: ScheduledRun): Promise<void> {
  const { id, keeper } = run;
  try {
    await nameOwnProcess(keeper, id);
    const result = await editWhenIdle(run);
    if (result !== undefined) await finish(keeper, id, { state: 'done', result });
  } catch (error) {
    // A journal that cannot be written leaves a record of a process that ended, which says as much.
    await finish(keeper, id, { state: 'failed', error: describeFailure(error) }).catch(() => {});
  }
}

async function editWhenIdle(run: ScheduledRun): Promise<object | undefined> {
  const { id, path, sessionId, keeper, limitMs = LIMIT_MS, quietMs = QUIET_MS } = run;
  const started = performance.now();
  for (;;) {
    const record = await keeper.read();
    if (!isOurs(record, id)) return undefined;
    const idle = await waitUntilIdle(path, {
      waitMs: limitMs - (performance.now() - started),
      quietMs,
      pollMs: PAUSE_MS,
      runner: record.runner,
      goOn: async () => isOurs(await keeper.read(), id),
    });
    if (idle.state === 'called-off') return undefined;
    if (idle.state === 'in-use') throw giveUp(describeUse(idle.use, sessionId, true), limitMs);
    try {
      return await run.edit();
    } catch (error) {
      if (!TRY_AGAIN.has((error as { code?: string }).code ?? '')) throw error;
      if (performance.now() - started >= limitMs) throw error;
      await sleep(PAUSE_MS);
    }
  }
}

const TRY_AGAIN = new Set(['SESSION_IN_USE', 'LOCK_TIMEOUT', 'LOCK_LOST']);

function giveUp(error: Error, limitMs: number): Error {
  error.message = `Gave up after ${describeTime(limitMs)}. ${error.message}`;
  return error;
}

function describeTime(ms: number): string {
  return ms < 3_600_000 ? `${Math.round(ms / 1000)} seconds` : `${Math.round(ms / 3_600_000)} hours`;
}

/** Whether what a process was started for is still to be done, and by it. */
export function isOurs(record: ScheduledEdit | undefined, id: string): record is ScheduledEdit {
  return record?.id === id && record.state === 'waiting';
}

export function finish(
  keeper: ScheduleKeeper,
  id: string,
  outcome: Pick<ScheduledEdit, 'state' | 'result' | 'error'>,
): Promise<void> {
  return keeper.change((current) =>
    current?.id === id ? { ...current, ...outcome, finishedAt: new Date().toISOString() } : current,
  );
}
