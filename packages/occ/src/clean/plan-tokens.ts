import {
  type Context,
  calibrate,
  contextCharacters,
  contextTokens,
  estimateTokens,
  type Transcript,
} from '@openbot/sessions';
import type { PlanTokens } from './plan.ts';

/** What the context weighs before and after. What is not a provider's own figure is called so. */
export function planTokens(
  transcript: Transcript,
  context: Context,
  charactersOf: (index: number, now: number) => number | undefined,
  changes: boolean,
): PlanTokens {
  const { tokens: before, basis } = contextTokens(transcript, context);
  if (!changes) return { before, after: before, basis };
  let characters = 0;
  for (const index of context.entries) {
    characters += charactersOf(index, contextCharacters(transcript, index, context)) ?? 0;
  }
  const calibration = calibrate(transcript, context);
  const after = Math.min(before, estimateTokens(calibration, characters));
  return { before, after, basis: calibration.basis };
}
