import type { Transcript } from '@openbot/sessions';
import { type Context, FLAG, sideOf } from '@openbot/sessions/transcript';
import type { TurnZones } from '../turn-zones.ts';
import type { PlannedLines } from './planned-lines.ts';
import type { TurnThinking } from './turn-thinking.ts';

const NOWHERE = -1;

/**
 * Entries of old turns whose thinking follows words in what a provider reads as one message, which it refuses. Earlier
 * versions left such turns when they removed their calls.
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
  if (!transcript.hasFlag(FLAG.thinking)) return [];
  const positionOf = new Int32Array(transcript.length).fill(NOWHERE);
  for (let position = 0; position < path.length; position++) positionOf[path[position]!] = position;
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
    const position = positionOf[index]!;
    isOld &&= position !== NOWHERE && zones.actionAt(position) === 'remove' && !thinking.staysAt(position);
  }
  close();
  return found;
}
