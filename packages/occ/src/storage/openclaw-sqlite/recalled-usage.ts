import { FLAG } from '@openbot/sessions/transcript';
import type { RewriteRecord } from '../contract/kept-state.ts';
import type { ReadSession } from './readable-session.ts';
import type { OpenKeptState, RestoredLine } from './restored-lines.ts';

/**
 * Gives answers that were recorded since the chosen backup was made their own usage again, where it was lowered after the
 * run. The lines of the chosen backup stay as it has them.
 * @param records of the chosen backup and those after it, oldest first
 */
export function recallUsage(
  lines: readonly RestoredLine[],
  states: readonly OpenKeptState[],
  session: ReadSession,
  records: readonly RewriteRecord[],
): RestoredLine[] {
  // Of a line that was lowered twice, the first record has what its provider said.
  const usages = new Map(
    records.toReversed().flatMap(({ corrected }) => Object.entries(corrected?.usage ?? {})),
  );
  if (usages.size === 0) return [...lines];
  return lines.map((line) => {
    const { row, kept } = line;
    if (kept?.state === 0) return line;
    const { transcript } = kept === undefined ? session : states[kept.state]!;
    const index = kept === undefined ? row! : kept.index;
    const usage = usages.get(transcript.idOf(index) ?? '');
    return usage !== undefined && transcript.has(index, FLAG.estimatedUsage) ? { ...line, usage } : line;
  });
}
