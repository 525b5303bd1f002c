import { OpenBotError } from '../errors.ts';

/** Longer keys are refused: no channel has ids that need it, and a key is repeated in every line that names it. */
export const MAX_SESSION_KEY_LENGTH = 1024;

const UNPRINTABLE = /[\p{Cc}\u2028\u2029]/u;

/** Whether a key can contain the text: no control characters or line separators, no half of a surrogate pair. */
export function isKeyText(text: string): boolean {
  return text.isWellFormed() && !UNPRINTABLE.test(text);
}

/** A name in a key, trimmed and lower-cased; '' when absent. `what` names the part in the error. */
export function readKeyPart(value: unknown, what: string): string {
  return readKeyId(typeof value === 'string' ? value.trim() : value, what).toLowerCase();
}

/**
 * An id of a network for a key, as the network gave it; '' when absent. Whole numbers are read as their digits, since chat
 * and topic ids arrive as numbers on some channels.
 */
export function readKeyId(value: unknown, what: string): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'bigint' || Number.isSafeInteger(value)) return String(value);
  if (typeof value !== 'string') {
    throw refuseKey(`${what} must be text, not ${typeof value}`, 'Pass the id as a string.');
  }
  const text = value.trim() === '' ? '' : value;
  if (!isKeyText(text)) {
    throw refuseKey(
      `${what} holds a control character or half of a surrogate pair`,
      'Pass the id as the channel delivered it, without line ends or NUL.',
    );
  }
  return text;
}

export function refuseKey(message: string, hint: string): OpenBotError {
  return new OpenBotError('INVALID_SESSION_KEY', message, { hint });
}

/** A key for an error message: cut, and with what a terminal would obey made visible. */
export function showKey(key: string): string {
  const cut = key.length > 80 ? `${key.slice(0, 80)}…` : key;
  return JSON.stringify(cut.toWellFormed());
}
