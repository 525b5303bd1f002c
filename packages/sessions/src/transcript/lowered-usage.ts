import type { Context } from './context.ts';
import { FLAG } from './entry.ts';
import { type Calibration, contextCharacters, estimateTokens } from './tokens.ts';
import type { Transcript } from './transcript.ts';

/** What the context weighs, up to and with the message of these lines. */
export type LoweredUsage = { indices: readonly number[]; tokens: number };

/**
 * Which lines hold the figure that agents decide on, and what it is to be when others go or shrink. Undefined where it
 * says no more than the context weighs.
 * @param charactersOf what an entry of the context will weigh; undefined for one that goes
 */
export function planLoweredUsage(
  transcript: Transcript,
  context: Context,
  calibration: Calibration,
  charactersOf: (index: number, now: number) => number | undefined,
): LoweredUsage | undefined {
  let characters = 0;
  let last = -1;
  let charactersThen = 0;
  for (const index of context.entries) {
    const after = charactersOf(index, contextCharacters(transcript, index, context));
    if (after === undefined) continue;
    characters += after;
    // What was recorded before the last compaction is not looked at any more.
    if (context.cutBy !== undefined && index < context.cutBy) continue;
    if (recordedTokens(transcript, index) === 0) continue;
    last = index;
    charactersThen = characters;
  }
  if (last < 0) return undefined;
  const tokens = Math.max(1, estimateTokens(calibration, charactersThen));
  if (tokens >= recordedTokens(transcript, last)) return undefined;
  const message = transcript.messageOf(last);
  // Lines of one message repeat its usage.
  const indices = message < 0 ? [last] : context.entries.filter((i) => transcript.messageOf(i) === message);
  return { indices, tokens };
}

function recordedTokens(transcript: Transcript, index: number): number {
  return transcript.has(index, FLAG.mirror) ? 0 : transcript.usageTokensOf(index);
}
