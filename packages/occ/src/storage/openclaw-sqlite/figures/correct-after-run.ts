import { existsSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import type { OpenBotError } from '@openbot/sessions';
import { isHolderAlive } from '@openbot/sessions/disk';
import {
  describeFailure,
  type FiguresToCorrect,
  type ScheduledEdit,
  UNCORRECTED_HINT,
} from '../../../backups/scheduled-edit.ts';
import { EditOperationError } from '../../../errors.ts';
import { isOurs, readRecord, recordOutcome, recordOwnProcess } from '../../../schedule/record.ts';
import type { CorrectionTask, FiguresResult } from '../../contract/use.ts';
import { correctFigures } from './correct-figures.ts';
import {
  findRunProcess,
  glanceAt,
  judgeRun,
  readSnapshot,
  type SessionSnapshot,
  sessionInDatabase,
} from './run-in-progress.ts';

export interface FiguresRun extends CorrectionTask {
  /** How often to look. 100 ms. */
  readonly pollMs?: number;
  /** Called between two looks. Waits for that time. */
  readonly sleep?: (ms: number) => Promise<void>;
  /** How long to wait before giving up. 24 hours. */
  readonly limitMs?: number;
  /** At how many looks in a row nothing may have changed before figures are corrected. 10. */
  readonly quietLooks?: number;
}

const POLL_MS = 100;
const LIMIT_MS = 24 * 3_600_000;
const QUIET_LOOKS = 10;
/** The end of a process changes no file, so its state is checked from time to time. */
const MOST_GLANCES = 10;
const MOST_FAULTS = 50;
/** Another process writes for longer than usual. */
const TRY_AGAIN = new Set(['DATABASE_BUSY', 'DATABASE_UNREADABLE', 'LOCK_TIMEOUT', 'LOCK_LOST']);

/**
 * The worker that corrects figures: waits for the end of the run, corrects, and records the outcome in the journal. Stops
 * if another task has replaced this one, or if the database is gone. Never throws.
 */
export async function correctAfterRun(run: FiguresRun): Promise<void> {
  const { id, path } = run;
  try {
    await recordOwnProcess(path, id);
    const result = await waitAndCorrect(run);
    if (result !== undefined) await recordOutcome(path, id, { state: 'done', result });
  } catch (error) {
    const record = readRecord(path);
    // Writing the journal would create the deleted folder again.
    if (record?.figures === undefined || !existsSync(record.figures.database)) return;
    await recordOutcome(path, id, { state: 'failed', error: describeFailure(error) }).catch(() => {});
  }
}

async function waitAndCorrect(run: FiguresRun): Promise<FiguresResult | undefined> {
  const { id, path, pollMs = POLL_MS, limitMs = LIMIT_MS, sleep = setTimeout } = run;
  const until = performance.now() + limitMs;
  for (let faults = 0; ; ) {
    const record = readRecord(path);
    if (!isOurs(record, id) || record.figures === undefined) return undefined;
    const { figures } = record;
    const glance = glanceAt(figures.database);
    if (glance === undefined) return undefined;
    const seen = tryToLook(figures);
    faults = seen instanceof Error ? faults + 1 : 0;
    if (seen instanceof Error) {
      if (faults === MOST_FAULTS) throw seen;
    } else {
      const hindrance = findHindrance(seen, figures.generation);
      if (hindrance !== undefined) return describe(undefined, hindrance);
      const state = judgeRun(figures.run, seen.run!);
      if (state === 'next') return describe(undefined, NEXT_TURN);
      if (state === 'over' || isRunnerGone(record, seen)) return correctWhenQuiet(run, figures, until);
    }
    for (let glances = 0; glances < MOST_GLANCES; glances++) {
      if (performance.now() >= until) throw gaveUp('the run has not ended');
      await sleep(pollMs);
      if (glanceAt(figures.database) !== glance) break;
    }
  }
}

/**
 * Corrects when the session has not been written to for some looks, until there is nothing to correct. OpenClaw writes
 * its counters after it has marked the run as done; and its own change of an entry, and with it the turn, fails if
 * another process changes the entry at that time.
 */
async function correctWhenQuiet(
  run: FiguresRun,
  figures: FiguresToCorrect,
  until: number,
): Promise<FiguresResult | undefined> {
  const { id, path, pollMs = POLL_MS, quietLooks = QUIET_LOOKS, sleep = setTimeout } = run;
  let { generation } = figures;
  let tokens: FiguresResult['tokens'];
  let last: string | undefined;
  for (let quiet = 0, faults = 0; ; await sleep(pollMs)) {
    if (!isOurs(readRecord(path), id) || !existsSync(figures.database)) return undefined;
    if (performance.now() >= until) throw gaveUp('the session is being written to all the time');
    try {
      const seen = look(figures);
      const hindrance = findHindrance(seen, generation) ?? findNextTurn(seen, figures);
      if (hindrance !== undefined) return describe(tokens, hindrance);
      const now = JSON.stringify(seen);
      quiet = now === last ? quiet + 1 : 0;
      last = now;
      if (quiet < quietLooks) continue;
      const done = await correctFigures(
        sessionInDatabase(figures.database, figures.sessionId),
        figures,
        generation,
        () => new Date(),
      );
      if (done.state === 'rewritten') return describe(tokens, REWRITTEN);
      if (done.state === 'again') continue;
      if (done.tokens === undefined) return describe(tokens, 'They were not too high.');
      generation = done.generation;
      tokens = { before: Math.max(done.tokens.before, tokens?.before ?? 0), after: done.tokens.after };
    } catch (error) {
      const isPassing = TRY_AGAIN.has((error as { code?: string }).code ?? '');
      if (!isPassing || ++faults === MOST_FAULTS) throw error;
    }
  }
}

function describe(tokens: FiguresResult['tokens'], note: string): FiguresResult {
  return tokens === undefined
    ? { mode: 'figures', changed: false, note }
    : { mode: 'figures', changed: true, tokens };
}

const NEXT_TURN = 'The next turn had begun and records its own counts.';
const REWRITTEN = 'The session was rewritten meanwhile.';

function findHindrance({ run, generation }: SessionSnapshot, expected: string): string | undefined {
  if (run === undefined) return 'The session was deleted or reset meanwhile.';
  return generation === expected ? undefined : REWRITTEN;
}

function findNextTurn({ run }: SessionSnapshot, figures: FiguresToCorrect): string | undefined {
  return run !== undefined && judgeRun(figures.run, run) === 'next' ? NEXT_TURN : undefined;
}

function look({ database, sessionId }: FiguresToCorrect): SessionSnapshot {
  return readSnapshot(database, sessionId);
}

function tryToLook(figures: FiguresToCorrect): SessionSnapshot | Error {
  try {
    return look(figures);
  } catch (error) {
    return error as Error;
  }
}

/** The recorded process may not be that of the run: while another process may be running it, only the entry counts. */
function isRunnerGone({ runner, figures }: ScheduledEdit, { entries }: SessionSnapshot): boolean {
  if (runner === undefined || isHolderAlive(runner) !== 'dead') return false;
  return findRunProcess(figures!.database, entries) === undefined;
}

function gaveUp(why: string): OpenBotError {
  return new EditOperationError(`Gave up: ${why}`, { hint: UNCORRECTED_HINT });
}
