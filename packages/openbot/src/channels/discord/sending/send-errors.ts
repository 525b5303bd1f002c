import { DiscordAPIError, HTTPError, RateLimitError } from '@discordjs/rest';
import type { SendFailure, SendFailureReason } from '../../contract.ts';
import { isNeverConnected } from '../../http/never-connected.ts';
import { sendFailure } from '../../send-failure.ts';

/** Codes of Discord. What is not listed is read by the status of the answer. */
const REASONS: Readonly<Record<number, SendFailureReason>> = {
  10003: 'gone',
  10004: 'gone',
  10008: 'gone',
  10013: 'gone',
  40005: 'too long',
  50001: 'forbidden',
  50007: 'forbidden',
  50013: 'forbidden',
  50083: 'forbidden',
  50278: 'forbidden',
  160005: 'forbidden',
};
const OVERLOADED = 130000;
const FORM_INVALID = 50035;
export const NOT_TEXT_CHANNEL = 50008;

export function readSendError(error: unknown, signal?: AbortSignal): SendFailure {
  if (signal?.aborted) {
    return sendFailure('The send was given up.', { isPermanent: false, mayHaveArrived: true, cause: error });
  }
  if (error instanceof RateLimitError) {
    const retryAfterMs = waitOf(error);
    const message = 'Discord takes no more messages for now.';
    return sendFailure(message, {
      isPermanent: false,
      mayHaveArrived: false,
      reason: 'busy',
      retryAfterMs,
      cause: error,
    });
  }
  if (error instanceof DiscordAPIError) return readRefusal(error);
  const text = describeError(error);
  const mayHaveArrived = !isNeverConnected(codeOf(error));
  return sendFailure(`Discord cannot be reached: ${text}`, {
    isPermanent: false,
    mayHaveArrived,
    cause: error,
  });
}

function readRefusal(error: DiscordAPIError): SendFailure {
  const { status } = error;
  const code = Number(error.code);
  // Somebody has to mend the token; what was to be said stays.
  const isPermanent = status !== 401 && code !== OVERLOADED;
  const reason =
    REASONS[code] ??
    (code === OVERLOADED
      ? 'busy'
      : code === FORM_INVALID && /BASE_TYPE_MAX_LENGTH/.test(JSON.stringify(error.rawError))
        ? 'too long'
        : status === 404
          ? 'gone'
          : status === 403
            ? 'forbidden'
            : 'other');
  return sendFailure(`Discord says: ${error.message} (${error.code})`, {
    isPermanent,
    mayHaveArrived: false,
    reason,
    cause: error,
  });
}

/** Discord has understood and says no: another try would get the same answer. */
export function isRefusal(error: unknown): error is DiscordAPIError {
  return error instanceof DiscordAPIError && Number(error.code) !== OVERLOADED;
}

export function isUnauthorized(error: unknown): boolean {
  return error instanceof DiscordAPIError && error.status === 401;
}

export function hasCode(error: unknown, code: number): boolean {
  return error instanceof DiscordAPIError && Number(error.code) === code;
}

export function isTooLarge(error: unknown): boolean {
  return hasCode(error, 40005) || (error instanceof DiscordAPIError && error.status === 413);
}

/** How long Discord asks to wait, in ms. */
export function waitOf(error: unknown): number | undefined {
  if (!(error instanceof RateLimitError)) return undefined;
  return Math.ceil(Math.max(error.retryAfter, error.timeToReset, error.sublimitTimeout));
}

/** Without the request: it may be long, and it is not for people. */
export function describeError(error: unknown): string {
  if (error instanceof HTTPError) return `it answered with status ${error.status}`;
  const code = codeOf(error);
  const text = error instanceof Error ? error.message : String(error);
  return code === '' || text.includes(code) ? text : `${text} (${code})`;
}

function codeOf(error: unknown): string {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
  if (typeof code === 'string') return code;
  return cause === undefined || cause === null ? '' : codeOf(cause);
}
