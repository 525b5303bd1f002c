import { contextOf } from '../../transcript/context.ts';
import { FLAG } from '../../transcript/entry.ts';
import { ESTIMATED_BY } from '../../transcript/formats/dialect.ts';
import { calibrate, contextCharacters, estimateTokens, tokensOfUsage } from '../../transcript/tokens.ts';
import type { Transcript } from '../../transcript/transcript.ts';
import { activePath } from '../../transcript/tree.ts';
import type { Cut } from './plan-cut.ts';
import { replaceTopLevelFields } from './replace-fields.ts';

/** What the context weighs, up to and with the message at `index`. */
export type LoweredUsage = { index: number; tokens: number };

/**
 * Agents tell from the usage of the last answer whether to compact. Recorded before the cut, it counts what is gone, and
 * they would compact at once. Undefined where it says no more than the context weighs.
 */
export function planLoweredUsage(transcript: Transcript, { keeps }: Cut): LoweredUsage | undefined {
  const context = contextOf(transcript, activePath(transcript).entries);
  const kept = context.entries.filter((index) => keeps[index]);
  const last = kept.findLastIndex((index) => recordedTokens(transcript, index) > 0);
  if (last < 0) return undefined;
  const characters = kept
    .slice(0, last + 1)
    .reduce((sum, index) => sum + contextCharacters(transcript, index, context), 0);
  const index = kept[last]!;
  const tokens = Math.max(1, estimateTokens(calibrate(transcript, context), characters));
  return tokens < recordedTokens(transcript, index) ? { index, tokens } : undefined;
}

function recordedTokens(transcript: Transcript, index: number): number {
  const usage = transcript.has(index, FLAG.mirror) ? undefined : transcript.usageOf(index);
  return usage === undefined ? 0 : tokensOfUsage(usage);
}

/** A `message` with the tokens of its `usage` set and marked as ours; what it cost stays. */
export function lowerUsageOf(message: string, tokens: number): string {
  return replaceTopLevelFields(message, new Map([['usage', (usage: string) => lowerUsage(usage, tokens)]]));
}

function lowerUsage(json: string, tokens: number): string {
  const usage = JSON.parse(json) as Record<string, unknown>;
  const output = Math.min(typeof usage.output === 'number' ? usage.output : 0, tokens);
  const figures = { input: tokens - output, output, cacheRead: 0, cacheWrite: 0, totalTokens: tokens };
  const mark = JSON.stringify(ESTIMATED_BY);
  const values = new Map([['estimatedBy', mark]]);
  for (const [field, value] of Object.entries(figures)) values.set(field, String(value));
  const lowered = replaceTopLevelFields(json, values);
  return 'estimatedBy' in usage ? lowered : lowered.replace('{', `{"estimatedBy":${mark},`);
}
