import { LARGE_CHARACTERS, type ResolvedToolRemovalOptions } from '../clean/tool-removal.ts';
import type { EditedSession } from '../rewrite/edit-session.ts';
import type { ResolvedSession } from '../storage/contract/found-session.ts';
import { describeRotation } from './describe-rotation.ts';
import { foundFieldsOf } from './found-fields.ts';
import type { EditOutcome, EditResult } from './results.ts';
import { editStatistics } from './statistics.ts';

/** What was asked for, as far as the outcome tells it again. */
interface AskedEdit {
  readonly toolRemoval: ResolvedToolRemovalOptions;
  readonly presetName?: string;
}

export function describeEdit(
  options: AskedEdit,
  { session, foundBy }: ResolvedSession,
  done: EditedSession,
  state: { dryRun?: true; scheduled?: true; note?: string },
): EditOutcome {
  const { plan, stale } = done;
  const changed = done.backupPath !== undefined;
  const note = state.note ?? describeUnchanged(done);
  const isKept = state.scheduled !== true && done.unchanged !== undefined;
  const result: EditResult = {
    success: true,
    mode: 'edit',
    sessionId: session.sessionId,
    ...foundFieldsOf({ session, foundBy }),
    backupPath: done.backupPath,
    ...describeRotation(done.rotation),
    statistics: editStatistics(plan.statistics, done.sizeBefore, done.sizeAfter, isKept),
    tokens: isKept ? { ...plan.tokens, after: plan.tokens.before } : plan.tokens,
    ...(stale !== undefined && { staleThinking: stale }),
    changed,
    ...(state.scheduled ? { scheduled: true } : {}),
    ...(state.dryRun ? { dryRun: true } : {}),
    note,
  };
  return {
    result,
    session,
    foundBy,
    plan: plan.statistics,
    options: options.toolRemoval,
    presetName: options.presetName,
  };
}

function describeUnchanged({ unchanged, plan }: EditedSession): string | undefined {
  if (unchanged === undefined) return undefined;
  const { calls, tokens } = plan.large;
  const percent = plan.tokens.before <= 0 ? 0 : Math.round((100 * tokens) / plan.tokens.before);
  if (plan.options.truncateOver !== undefined || percent < WORTH_A_WORD_PERCENT)
    return UNCHANGED_NOTES[unchanged];
  const which = calls === 1 ? '1 large tool call' : `${calls} large tool calls`;
  return `${UNCHANGED_NOTES[unchanged]} But about ${percent}% of the context is ${which} in the turns that are kept: repeat the command with --truncate-over ${LARGE_CHARACTERS} to shorten ${calls === 1 ? 'it' : 'them'}.`;
}

/** Less is not worth another look. */
const WORTH_A_WORD_PERCENT = 10;

const UNCHANGED_NOTES = {
  'nothing to clean':
    'Nothing to clean: no tool call is old enough to be removed or long enough to be shortened.',
  'would not shrink': 'Nothing was changed: the session would not have become smaller.',
} as const;
