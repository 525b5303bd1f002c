import type { Context } from '../context/context.ts';
import { type Calibration, contextCharacters, estimateTokens } from '../context/tokens.ts';
import { FLAG } from '../entry.ts';
import { type DialectName, ESTIMATED_BY } from '../formats/dialect.ts';
import type { Transcript } from '../transcript.ts';
import { asciiJson, replaceTopLevelFields } from './splice.ts';

/**
 * Agents tell from the usage of the last answer whether to compact. Recorded before others went, it counts what is gone,
 * and they would compact at once.
 * @param usage the JSON of a message's `usage`
 * @returns with its tokens set and marked as ours; what it cost stays
 */
export function lowerUsage(usage: string, tokens: number, dialect: DialectName): string {
  const recorded = JSON.parse(usage) as unknown;
  if (typeof recorded !== 'object' || recorded === null || Array.isArray(recorded)) return usage;
  const values = FIGURES[dialect](recorded as Record<string, unknown>, tokens);
  const mark = JSON.stringify(ESTIMATED_BY);
  values.set('estimatedBy', mark);
  const lowered = replaceTopLevelFields(usage, values);
  if ('estimatedBy' in recorded) return lowered;
  const isEmpty = Object.keys(recorded).length === 0;
  return lowered.replace('{', `{"estimatedBy":${mark}${isEmpty ? '' : ','}`);
}

const FIGURES: Record<DialectName, (usage: Record<string, unknown>, tokens: number) => Map<string, string>> =
  {
    openclaw(usage, tokens) {
      const output = outputOf(usage.output, tokens);
      return new Map([
        ['input', String(tokens - output)],
        ['output', String(output)],
        ['cacheRead', '0'],
        ['cacheWrite', '0'],
        ['totalTokens', String(tokens)],
        ...contextFigures(usage.contextUsage, tokens, output),
      ]);
    },
    'claude-code'(usage, tokens) {
      const output = outputOf(usage.output_tokens, tokens);
      return new Map([
        ['input_tokens', String(tokens - output)],
        ['output_tokens', String(output)],
        ['cache_read_input_tokens', '0'],
        ['cache_creation_input_tokens', '0'],
        // Where it lists figures, those count and not the ones above.
        ['iterations', '[]'],
      ]);
    },
  };

/** Where OpenClaw wrote down the size of the context apart, that counts and not the figures above. */
function contextFigures(recorded: unknown, tokens: number, output: number): [string, string][] {
  if (typeof recorded !== 'object' || recorded === null || !('state' in recorded)) return [];
  if (recorded.state !== 'available') return [];
  const figures = { ...recorded, promptTokens: tokens - output, totalTokens: tokens };
  return [['contextUsage', asciiJson(figures)]];
}

function outputOf(recorded: unknown, tokens: number): number {
  return Math.min(typeof recorded === 'number' && recorded > 0 ? Math.floor(recorded) : 0, tokens);
}

/** What the context weighs, up to and with the message of these lines. */
interface LoweredUsage {
  indices: readonly number[];
  tokens: number;
}

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
