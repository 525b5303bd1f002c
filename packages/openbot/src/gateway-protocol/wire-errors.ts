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

/** The error of a response for whatever a method threw. What is not ours is not told to callers. */
export function toWireError(error: unknown): WireError {
  if (!(error instanceof OpenBotError)) return { code: 'UNAVAILABLE', message: 'internal error' };
  const wire = error.details?.wire as WireError | undefined;
  if (wire !== undefined) return wire;
  const { code: reason, hint, message } = error;
  const isPassing = UNAVAILABLE.has(reason);
  return {
    code: isPassing ? 'UNAVAILABLE' : 'INVALID_REQUEST',
    message,
    details: { reason, ...(hint !== undefined && { hint }) },
    ...(isPassing && { retryable: true }),
  };
}
