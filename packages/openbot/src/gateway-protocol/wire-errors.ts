import { OpenBotError } from '@openbot/sessions';

/** The codes that OpenClaw's clients know. */
export type WireCode = 'INVALID_REQUEST' | 'FORBIDDEN' | 'NOT_PAIRED' | 'UNAVAILABLE' | 'APPROVAL_NOT_FOUND';

/** An error as a response carries it. Clients branch on `code`, `details.code` and `details.reason`. */
export interface WireError {
  readonly code: WireCode;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly retryable?: boolean;
  readonly retryAfterMs?: number;
}

/** What a method throws to refuse a request. Its message is sent as it is. */
export function refuse(
  code: WireCode,
  message: string,
  more: Pick<WireError, 'details' | 'retryable' | 'retryAfterMs'> = {},
): OpenBotError {
  return new OpenBotError('GATEWAY_REFUSED', message, { details: { wire: { code, message, ...more } } });
}

/** Failures that may be over when the caller asks again. */
const UNAVAILABLE: ReadonlySet<string> = new Set([
  'SESSION_IN_USE',
  'STORE_LOCKED',
  'STORE_UNREADABLE',
  'LOCK_TIMEOUT',
]);

/** Messages that say no more than what the caller asked for. Others may have paths, and names of other agents. */
const ABOUT_THE_REQUEST: ReadonlySet<string> = new Set([
  'USAGE',
  'INVALID_ARGUMENT',
  'INVALID_SESSION_KEY',
  'INVALID_SESSION_ID',
  'SESSION_NOT_FOUND',
  'MODEL_NOT_FOUND',
  'MEDIA_TOO_LARGE',
]);

/**
 * The error of a response for whatever a method threw. What is not ours is not told to callers.
 * @param isBound to some agents: the caller is told nothing of the machine and of other agents
 */
export function toWireError(error: unknown, { isBound = false } = {}): WireError {
  if (!(error instanceof OpenBotError)) return { code: 'UNAVAILABLE', message: 'internal error' };
  const wire = error.details?.wire as WireError | undefined;
  if (wire !== undefined) return wire;
  const { code: reason, hint, message } = error;
  const isPassing = UNAVAILABLE.has(reason);
  return {
    code: isPassing ? 'UNAVAILABLE' : 'INVALID_REQUEST',
    message: isBound && !ABOUT_THE_REQUEST.has(reason) ? `the request failed: ${reason}` : message,
    details: { reason, ...(hint !== undefined && !isBound && { hint }) },
    ...(isPassing && { retryable: true }),
  };
}
