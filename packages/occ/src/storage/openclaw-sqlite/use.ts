import { backupPathOf, backupPathsOf } from '../../backups/backup-paths.ts';
import { readJournal } from '../../backups/journal.ts';
import { UNCORRECTED_HINT } from '../../backups/scheduled-edit.ts';
import { mayTouchLater } from '../../clean/turn-zones.ts';
import { decideUse, describeUse, RESUME_FIRST } from '../../in-use/decide-use.ts';
import { isBoundSession } from '../../in-use/last-exchange.ts';
import { listOpenWriters } from '../../in-use/open-writers.ts';
import { scheduleEdit } from '../../schedule/start-worker.ts';
import type { FoundSession } from '../contract/found-session.ts';
import type { MadeEdit, SettledUse, UseQuestion, UseStorage } from '../contract/use.ts';
import { correctAfterRun } from './figures/correct-after-run.ts';
import { findRunInProgress, type RunInProgress, readSnapshot } from './figures/run-in-progress.ts';
import { OpenRunSearch } from './open-run.ts';
import { transcriptPathOf } from './transcript-path.ts';

/**
 * Sessions in OpenClaw's database are rewritten at once: a run in progress continues with what it has in memory, and its
 * next messages refer to entries that stay. Where thinking is bound to what was said before it, the run is waited for.
 */
export const sqliteUse: UseStorage = {
  ownRun: (_session, { foundBy }) => (foundBy === 'calling-command' ? 'survives' : 'no'),
  settle,
  correctAfterRun,
};

async function settle(session: FoundSession, question: UseQuestion): Promise<SettledUse> {
  const { ownRun } = question;
  let found = findRunInProgress(session, ownRun);
  const scheduled = await waitOrSchedule(session, question, found);
  if (scheduled !== undefined) return scheduled;
  let isBound = false;
  if (found.isInRun && ownRun === 'no') found = findRunInProgress(session, ownRun);
  return {
    act: 'go',
    isInRun: found.isInRun,
    assertIdle: (transcript) => {
      isBound = isBoundSession(transcript);
    },
    afterEdit: async (edit) => {
      const note = await afterEdit(session, question, found, edit, isBound);
      return question.flags.whenIdle && !isBound && edit.backupPath !== undefined
        ? [AT_ONCE, note].filter(Boolean).join(' ')
        : note;
    },
    afterRestore: () => (found.isInRun ? noteOfRun(question, 'restored', isBound) : undefined),
  };
}

async function waitOrSchedule(
  session: FoundSession,
  { ownRun, flags, scheduled }: UseQuestion,
  found: RunInProgress,
): Promise<SettledUse | undefined> {
  if (flags.force) return undefined;
  const search = new OpenRunSearch(session);
  const use = search.find(ownRun, found, scheduled?.runner);
  const decision = decideUse(use, session.sessionId, flags);
  if (decision.act === 'refuse') throw decision.error;
  if (decision.act === 'schedule') return { act: 'schedule', note: decision.note, runner: found.runner };
  const waitMs = decision.act === 'wait' ? decision.ms : scheduled && flags.waitMs;
  if (waitMs === undefined) return undefined;
  const left = await search.wait({ waitMs, runner: scheduled?.runner });
  if (left !== undefined) throw describeUse(left, session.sessionId, flags);
  return undefined;
}

async function afterEdit(
  session: FoundSession,
  question: UseQuestion,
  before: RunInProgress,
  edit: MadeEdit,
  isBound: boolean,
): Promise<string | undefined> {
  const { plan, backupPath } = edit;
  if (backupPath === undefined) {
    const isUndecided = before.isInRun && mayTouchLater(plan.statistics.turnsWithToolsTotal, plan.options);
    return isUndecided ? NOTHING_YET : undefined;
  }
  // A run that began during the edit may have read the session before it.
  const found = before.isInRun ? before : findRunAgain(session);
  if (!found?.isInRun) return listOpenWriters(session.path, SEARCH_MS).length > 0 ? LISTED_LATER : undefined;
  const corrected = await scheduleCorrection(session, question, found, { plan, backupPath }).then(
    () => "OpenClaw's token counts are corrected when the run ends.",
    describeUncorrected,
  );
  return `${noteOfRun(question, 'cleaned', isBound)} ${corrected}`;
}

const AT_ONCE = "--when-idle has no effect in OpenClaw's database: the session was edited at once.";
/** Only for a note. */
const SEARCH_MS = 200;
const NOTHING_YET =
  'Nothing to clean yet: a run of this session is in progress and is never changed. Run the edit again when it has ended.';
const LISTED_LATER = 'A running gateway may list the old token count until the next turn of this session.';

function noteOfRun({ ownRun }: UseQuestion, done: 'cleaned' | 'restored', isBound: boolean): string {
  const run =
    ownRun === 'no'
      ? 'A run of this session is in progress: it'
      : 'This is the session that called occ: its run';
  const note = `${run} continues with what it has in memory, and the next turn reads the ${done} session.`;
  return isBound ? `${note} ${RESUME_FIRST}` : note;
}

function findRunAgain(session: FoundSession): RunInProgress | undefined {
  try {
    return findRunInProgress(session, 'no');
  } catch {
    // The edit is made; it has not failed because the database cannot be read now.
    return undefined;
  }
}

/**
 * Starts a worker that corrects the figures which the run writes at its end: the run continues with the old context in
 * memory and records its size.
 */
async function scheduleCorrection(
  session: FoundSession,
  { env, flags }: UseQuestion,
  { run, runner }: RunInProgress,
  { plan, backupPath }: MadeEdit,
): Promise<void> {
  const path = transcriptPathOf(session);
  const paths = backupPathsOf(path);
  const { rewrites } = readJournal(path);
  const record = rewrites.findLast(({ backup }) => backupPathOf(paths, backup) === backupPath);
  // If the run ended since the edit, its figures need the correction too: its state before the edit counts.
  const state = run?.isRunning ? run : readSnapshot(session.path, session.sessionId).run;
  if (record?.generations === undefined || state === undefined) throw new Error('its record is gone');
  await scheduleEdit({
    session,
    path,
    toolRemoval: plan.options,
    figures: {
      database: session.path,
      sessionId: session.sessionId,
      backup: record.backup,
      generation: record.generations.after,
      calibration: plan.calibration,
      run: state,
      force: flags.force,
    },
    runner,
    env,
  });
}

function describeUncorrected({ message, cause }: Error): string {
  const why = cause instanceof Error ? cause.message : message;
  return `OpenClaw's token counts cannot be corrected when the run ends: ${why}. ${UNCORRECTED_HINT}`;
}
