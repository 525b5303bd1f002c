import { reserveOf } from '../config/compaction-reserve.ts';
import type { RunEnd, Runner, RunRequest } from './contract.ts';

type Prefix = Pick<RunRequest, 'systemPrompt' | 'tools' | 'ownTools'>;
type Sized = Prefix & Pick<RunRequest, 'model' | 'reserveTokens'>;

/** All tools of Claude Code 2.1.325 take 13,600 tokens. */
const OWN_TOOLS_TOKENS = 15_000;

/** With more tokens than this the runner compacts by itself. Undefined for a window of unknown size. */
export function compactionPointOf(
  runner: Pick<Runner, 'compactsAt' | 'readsNoPrefix'> | undefined,
  request: Sized,
): number | undefined {
  const { model, reserveTokens } = request;
  const prefixTokens = runner?.readsNoPrefix ? 0 : prefixTokensOf(request);
  if (runner?.compactsAt !== undefined) return runner.compactsAt(model, reserveTokens, prefixTokens);
  const { contextWindow: window } = model;
  return window === undefined ? undefined : window - reserveOf(window, reserveTokens, prefixTokens);
}

/** Of the prompt and the tools, estimated. */
export function prefixTokensOf({ systemPrompt, tools, ownTools = [] }: Prefix): number {
  const declared = estimateTokens(systemPrompt.text) + estimateTokens(JSON.stringify(tools.list));
  return declared + (ownTools.length > 0 ? OWN_TOOLS_TOKENS : 0);
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
