import type { RunEnd } from './contract.ts';

/** The end of a run that failed by an error of ours, or of the runner's program. */
export function describeFault(error: unknown): RunEnd {
  const { message, hint } = error as { message?: string; hint?: string };
  return { type: 'end', reason: 'error', error: message ?? String(error), hint, isTransient: false };
}
