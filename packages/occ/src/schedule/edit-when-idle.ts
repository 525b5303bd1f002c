import { setTimeout as sleep } from 'node:timers/promises';
import { describeFailure } from '../backups/scheduled-edit.ts';
import { describeUse } from '../in-use/decide-use.ts';
import { waitUntilIdle } from '../in-use/wait-until-idle.ts';
import { isOurs, readRecord, recordOutcome, recordOwnProcess } from './record.ts';

export interface ScheduledRun {
  readonly id: string;
  readonly path: string;
  readonly sessionId: string;
  /** Makes the edit now, or throws: after SESSION_IN_USE, LOCK_TIMEOUT and LOCK_LOST it is tried again. */
  readonly edit: () => Promise<object>;
  /** How long to wait before giving up. 24 hours. */
  readonly limitMs?: number;
  /** How long the session must have been idle. 2 seconds. */
  readonly quietMs?: number;
  /** How often to look. 500 ms. */
  readonly pollMs?: number;
}

const LIMIT_MS = 24 * 3_600_000;
const QUIET_MS = 2000;
const POLL_MS = 500;

/**
 * The worker of a scheduled edit: waits until the session is idle, edits, and records the outcome in the journal. Stops
 * if another scheduled edit has replaced this one. Never throws.
 */
export async function editWhenIdle(run: ScheduledRun): Promise<void> {
  const { id, path } = run;
  try {
    await recordOwnProcess(path, id);
    const result = await waitAndEdit(run);
    if (result !== undefined) await recordOutcome(path, id, { state: 'done', result });
  } catch (error) {
    // If the journal cannot be written, its record names a process that has ended, which also counts as failed.
    await recordOutcome(path, id, { state: 'failed', error: describeFailure(error) }).catch(() => {});
  }
}

async function waitAndEdit(run: ScheduledRun): Promise<object | undefined> {
  const { id, path, sessionId, limitMs = LIMIT_MS, quietMs = QUIET_MS, pollMs = POLL_MS } = run;
  const started = performance.now();
  for (;;) {
    const record = readRecord(path);
    if (!isOurs(record, id)) return undefined;
    const idle = await waitUntilIdle(path, {
      waitMs: limitMs - (performance.now() - started),
      quietMs,
      pollMs,
      runner: record.runner,
      goOn: () => isOurs(readRecord(path), id),
    });
    if (idle.state === 'called-off') return undefined;
    if (idle.state === 'in-use')
      throw giveUp(describeUse(idle.use, sessionId, { canSchedule: true }), limitMs);
    try {
      return await run.edit();
    } catch (error) {
      if (!TRY_AGAIN.has((error as { code?: string }).code ?? '')) throw error;
      if (performance.now() - started >= limitMs) throw error;
      await sleep(pollMs);
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
