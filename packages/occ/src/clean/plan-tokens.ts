import type { Transcript } from '@openbot/sessions';
import {
  type Context,
  type ContextSize,
  contextCharacters,
  estimateTokens,
} from '@openbot/sessions/transcript';
import type { PlanTokens } from './plan.ts';

/** What the context weighs before and after. What is not a provider's own figure is called so. */
export function planTokens(
  transcript: Transcript,
  context: Context,
  size: ContextSize,
  charactersOf: (index: number, now: number) => number | undefined,
  changes: boolean,
): PlanTokens {
  const { tokens: before, basis, calibration } = size;
  if (!changes) return { before, after: before, basis };
  let characters = 0;
  for (const index of context.entries) {
    characters += charactersOf(index, contextCharacters(transcript, index, context)) ?? 0;
  }
  return {
    before,
    after: Math.min(before, estimateTokens(calibration, characters)),
    basis: calibration.basis,
  };
}
