import { createHmac, timingSafeEqual } from 'node:crypto';

/** `sha256=<hex>` of these bytes, one after the other. */
export function signBytes(secret: string, ...parts: readonly (string | Uint8Array)[]): string {
  const hmac = createHmac('sha256', secret);
  for (const part of parts) hmac.update(part);
  return `sha256=${hmac.digest('hex')}`;
}

/** The time that it takes tells nothing about the right signature. */
export function isSignedBy(
  secret: string,
  given: string | undefined,
  ...parts: readonly (string | Uint8Array)[]
): boolean {
  return given !== undefined && isSameSecret(given.trim(), signBytes(secret, ...parts));
}

/** Texts of different lengths are compared by their hashes, so that the time does not tell the length either. */
export function isSameSecret(given: string, right: string): boolean {
  const hash = (text: string) => createHmac('sha256', 'compare').update(text).digest();
  return timingSafeEqual(hash(given), hash(right));
}
