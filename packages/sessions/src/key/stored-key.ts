import { isKeyText, MAX_SESSION_KEY_LENGTH, refuseKey, showKey } from './key-text.ts';

/**
 * A key from a caller, made fit to be stored: trimmed and lower-cased, otherwise as it is. It need not be of any
 * form that we know. Throws INVALID_SESSION_KEY for what would do harm as a key of a plain object or in a listing.
 */
export function readStoredKey(sessionKey: unknown): string {
  if (typeof sessionKey !== 'string') {
    throw refuseKey(`a session key must be text, not ${typeof sessionKey}`, 'Example: agent:main:main');
  }
  const key = sessionKey.trim().toLowerCase();
  if (key === '') throw refuseKey('the session key is empty', 'Example: agent:main:main');
  if (key.length > MAX_SESSION_KEY_LENGTH) {
    throw refuseKey(
      `the session key ${showKey(key)} has ${key.length} characters`,
      `At most ${MAX_SESSION_KEY_LENGTH} are allowed.`,
    );
  }
  if (!isKeyText(key)) {
    throw refuseKey(
      `the session key ${showKey(key)} holds a control character or half of a surrogate pair`,
      'Remove line ends, NUL and other control characters.',
    );
  }
  if (OBJECT_NAMES.has(key)) {
    throw refuseKey(`${showKey(key)} cannot be a session key`, 'Example: agent:main:main');
  }
  return key;
}

/** `constructor` and its like are found in every plain object, whether or not a session of that name was stored. */
const OBJECT_NAMES: ReadonlySet<string> = new Set(
  Object.getOwnPropertyNames(Object.prototype).map((name) => name.toLowerCase()),
);
