import { activePath, type Transcript } from '@openbot/sessions';
import { DANGLING, leafOf } from '@openbot/sessions/transcript';
import { findNewRefusal } from '../clean/new-refusal.ts';
import { countLonely, pairCalls } from '../clean/pair-calls.ts';
import type { CleanPlan } from '../clean/plan.ts';

/**
 * What is wrong with a rewritten transcript, in one sentence; undefined when it is as planned: every line that was to stay
 * is there, in its order, with its id; no link leads nowhere that led somewhere; the leaf is the same; every call has its
 * result and the reverse, but for those that had none before; and what the model will read, in the form in which a
 * provider sees it, holds nothing more that providers refuse.
 */
export function findFault(
  before: Transcript,
  after: Transcript,
  plan: Pick<CleanPlan, 'isRemoved' | 'lonely'>,
): string | undefined {
  const lineBefore = new Int32Array(after.length);
  let line = 0;
  for (let i = 0, length = before.length; i < length; i++) {
    for (const stop = before.behindBlanks(i); i < stop; i++) {
      if (line >= after.length || after.kindOf(line) !== 'blank') return 'blank lines are missing';
      lineBefore[line++] = i;
    }
    if (i === length || plan.isRemoved(i)) continue;
    const is = line++;
    if (is >= after.length) return 'lines are missing at its end';
    if (after.kindOf(is) !== before.kindOf(i) || !hasSameId(before, i, after, is)) {
      return `line ${is + 1} differs from line ${i + 1} of the session`;
    }
    lineBefore[is] = i;
    if (after.parentOf(is) === DANGLING && before.parentOf(i) !== DANGLING) {
      return `line ${is + 1} has no parent`;
    }
  }
  if (line !== after.length) return 'it has more lines than planned';
  if (leafIdOf(after) !== leafIdOf(before)) return 'its last entry is not the expected one';
  const lonely = countLonely(pairCalls(after, activePath(after).entries));
  if (lonely.calls > plan.lonely.calls) return 'a call lost its result';
  if (lonely.results > plan.lonely.results) return 'a result lost its call';
  return findNewRefusal(before, after, (index) => lineBefore[index]!);
}

/** Ids of two states that share their strings have the same numbers. */
function hasSameId(before: Transcript, i: number, after: Transcript, is: number): boolean {
  if (before.strings !== after.strings) return before.idOf(i) === after.idOf(is);
  return before.idNumberOf(i) === after.idNumberOf(is);
}

function leafIdOf(transcript: Transcript): string | undefined {
  const leaf = leafOf(transcript);
  return leaf < 0 ? undefined : transcript.idOf(leaf);
}
