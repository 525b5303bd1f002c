import { type Context, FLAG, sideOf, type Transcript } from '@openbot/sessions';
import type { PlannedLines } from './planned-lines.ts';
import type { TurnThinking } from './turn-thinking.ts';
import type { TurnZones } from './turn-zones.ts';

/**
 * Entries of old turns whose thinking stands behind words in what a provider reads as one message, which it refuses. Earlier
 * versions left turns so when they took out their calls.
 * @param lines all that was planned before
 */
export function findMisplacedThinking(
  transcript: Transcript,
  path: readonly number[],
  context: Context,
  zones: Pick<TurnZones, 'actionAt'>,
  thinking: TurnThinking,
  lines: PlannedLines,
): number[] {
  const positionOf = new Map(path.map((index, position) => [index, position]));
  const found: number[] = [];
  let run: number[] = [];
  let beginsWithWords = false;
  let isOld = true;

  function close(): void {
    if (beginsWithWords && isOld) found.push(...run.filter((index) => lines.keepsThinking(index)));
    run = [];
    isOld = true;
  }

  for (const index of context.entries) {
    if (lines.isRemoved(index)) continue;
    const side = sideOf(transcript, index);
    if (side === 'user') close();
    if (side !== 'assistant') continue;
    if (run.length === 0) {
      beginsWithWords = !lines.keepsThinking(index) || !transcript.has(index, FLAG.beginsWithThinking);
    }
    run.push(index);
    const position = positionOf.get(index);
    isOld &&= position !== undefined && zones.actionAt(position) === 'remove' && !thinking.staysAt(position);
  }
  close();
  return found;
}
