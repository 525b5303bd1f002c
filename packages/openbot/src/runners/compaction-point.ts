import { reserveOf } from '../config/compaction-reserve.ts';
import type { ModelChoice, RunEnd, Runner } from './contract.ts';

/** With more tokens than this the runner compacts by itself. Undefined for a window of unknown size. */
export function compactionPointOf(
  runner: Pick<Runner, 'compactsAt'> | undefined,
  model: ModelChoice,
  reserveTokens: number | undefined,
): number | undefined {
  if (runner?.compactsAt !== undefined) return runner.compactsAt(model, reserveTokens);
  const { contextWindow } = model;
  return contextWindow === undefined ? undefined : contextWindow - reserveOf(contextWindow, reserveTokens);
}

/** Four bytes for a token. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}

/** Thrown where a runner would compact and has to stop. */
export class MustStop extends Error {
  readonly end: RunEnd = {
    type: 'end',
    reason: 'overflow',
    error: 'The conversation nearly fills the window of the model.',
    isEarly: true,
  };
}
