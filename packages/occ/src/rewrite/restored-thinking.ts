import { activePath, type Transcript } from '@openbot/sessions';
import { FLAG, hasBoundThinking } from '@openbot/sessions/transcript';
import { countLonely, pairCalls } from '../clean/pair-calls.ts';
import { planThinkingRemoval } from '../clean/thinking-removal.ts';
import { RestoreError } from '../errors.ts';
import type { JoinedLines, JoinedState, RestoredState, SessionLines } from '../storage/contract/rewriting.ts';
import { countSame, giveLines } from './same-context.ts';
import { findFault } from './verify-clean.ts';

/** A restored state without thinking that would be refused. */
interface UnboundThinking {
  readonly next: RestoredState;
  /** How many blocks go. */
  readonly blocks: number;
  /** The ids of lines that have nothing else. */
  readonly removedIds: ReadonlySet<string>;
  /** Throws where the written state holds any of it, or lost anything else. */
  assertGone(after: Transcript): void;
}

/** Whether thinking of the session counts only behind what it was said behind. */
export function mayUnbind({ transcript }: SessionLines): boolean {
  return hasBoundThinking(transcript, activePath(transcript).entries);
}

/**
 * The thinking of what was said since a backup was made that would be behind other lines than those that it was said
 * behind. What comes back with the backup stays as it is.
 * @param now the session, in which all thinking is behind what it was said behind
 */
export async function findUnbound(
  state: JoinedState,
  now: SessionLines,
): Promise<UnboundThinking | undefined> {
  const joined = await state.readJoined();
  const { transcript } = joined;
  const lines = listUnbound(joined, now);
  if (lines.length === 0) return undefined;
  const plan = planThinkingRemoval(transcript, lines, joined.readLine);
  const lonely = countLonely(pairCalls(transcript, activePath(transcript).entries));
  return {
    next: state.change(joined, plan),
    blocks: plan.blocks,
    removedIds: new Set(lines.filter(plan.isRemoved).flatMap((index) => transcript.idOf(index) ?? [])),
    assertGone: (after) => {
      const fault =
        findFault(transcript, after, { ...plan, lonely }) ??
        (hasThinking(after, transcript, plan.isRemoved, lines) ? 'thinking is left' : undefined);
      if (fault === undefined) return;
      throw new RestoreError(`The restored session did not pass verification: ${fault}`, {
        hint: 'Nothing was changed. Another program rewrote the session since the backup was made.',
      });
    },
  };
}

function listUnbound(joined: JoinedLines, now: SessionLines): number[] {
  const { transcript, isNew } = joined;
  const given = giveLines(joined);
  const was = giveLines(now);
  const same = countSame(given, was);
  if (same === given.context.entries.length && same === was.context.entries.length) return [];
  const bound = new Set(given.context.entries.slice(0, same));
  return activePath(transcript).entries.filter(
    (index) => transcript.has(index, FLAG.thinking) && isNew(index) && !bound.has(index),
  );
}

/** @param lines of the state before, which were to lose their thinking */
function hasThinking(
  after: Transcript,
  before: Transcript,
  isRemoved: (index: number) => boolean,
  lines: readonly number[],
): boolean {
  const meant = new Set(lines);
  let at = 0;
  for (let index = 0; index < before.length; index++) {
    if (isRemoved(index)) continue;
    if (meant.has(index) && after.has(at, FLAG.thinking)) return true;
    at++;
  }
  return false;
}
