import { OpenBotError } from '../../errors.ts';

/** Fails with STORE_CONFLICT when the key points to another session than the caller decided about. */
export function assertExpected(actual: string, expected: string | undefined, sessionKey: string): void {
  if (expected === undefined || expected === actual) return;
  throw new OpenBotError('STORE_CONFLICT', `${sessionKey} points to ${actual} by now, not to ${expected}`, {
    hint: 'Nothing was changed. Look at the session again and decide anew.',
  });
}
