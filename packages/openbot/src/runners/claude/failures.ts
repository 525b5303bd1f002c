import { OpenBotError, redactSecrets } from '@openbot/sessions';
import type { ModelFailure, RunEnd } from '../contract.ts';
import { failureOfStatus, isTransient } from '../failure-of-status.ts';

/** What Claude Code says about a request that failed. */
export interface ClaudeFailure {
  readonly text: string;
  /** Of the answer of the provider; none without an answer. */
  readonly status?: number | null;
  /** Claude Code's word for it. */
  readonly kind?: string;
  readonly retryAfterMs?: number;
}

const KINDS: Readonly<Record<string, ModelFailure>> = {
  authentication_failed: 'unauthorised',
  oauth_org_not_allowed: 'unauthorised',
  account_on_hold: 'unauthorised',
  verification_required: 'unauthorised',
  cloud_credential_error: 'unauthorised',
  billing_error: 'exhausted',
  rate_limit: 'rate-limited',
  overloaded: 'overloaded',
};

export const LOGIN_HINT =
  'Set ANTHROPIC_API_KEY, or CLAUDE_CODE_OAUTH_TOKEN (claude setup-token prints one), in the environment of openbot, or log in once with the command claude.';

const HINTS: Readonly<Partial<Record<ModelFailure, string>>> = {
  unauthorised: LOGIN_HINT,
  exhausted: 'Add credit to the account, or choose another model.',
};

export function describeFailure(failed: ClaudeFailure): RunEnd {
  const error = redactSecrets(failed.text.trim() || 'Claude Code failed without a reason');
  if (/prompt is too long/i.test(error)) return { type: 'end', reason: 'overflow', error };
  const failure = classify(failed);
  const hint = failure === undefined ? undefined : HINTS[failure];
  const { retryAfterMs } = failed;
  return {
    type: 'end',
    reason: 'error',
    error,
    isTransient: isTransient(failure),
    hint,
    failure,
    retryAfterMs,
  };
}

function classify({ text, status, kind }: ClaudeFailure): ModelFailure | undefined {
  if (/credit balance/i.test(text)) return 'exhausted';
  const known = kind === undefined ? undefined : KINDS[kind];
  if (known !== undefined) return known;
  if (typeof status === 'number') return failureOfStatus(status);
  return kind === 'server_error' ? 'unreachable' : undefined;
}

/** Claude Code ended, or could not be started, without a word about why. */
export function brokenOff(cause: unknown, stderr: string): OpenBotError {
  const why = [cause instanceof Error ? cause.message : '', stderr].filter((text) => text !== '').join(': ');
  return new OpenBotError(
    'CLAUDE_NOT_STARTED',
    `Claude Code ended before it answered${why === '' ? '' : `: ${redactSecrets(why)}`}`,
    {
      hint: 'Install @anthropic-ai/claude-agent-sdk again with its optional package for this platform.',
      cause,
    },
  );
}
