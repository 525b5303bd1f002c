import { isSignedBy, signBytes } from '../http/signatures.ts';

/** Of a request in either direction. Names in small letters. */
export const TIMESTAMP_HEADER = 'x-openbot-timestamp';
export const SIGNATURE_HEADER = 'x-openbot-signature-256';

/** A recording of a request is of no use after so long, ms. Clocks may differ by as much. */
export const TOLERANCE_MS = 5 * 60_000;

/** The signature is about the time, a point and the bytes of the body. */
export function signRequest(secret: string, body: string, now: number): Record<string, string> {
  const seconds = String(Math.floor(now / 1000));
  return { [TIMESTAMP_HEADER]: seconds, [SIGNATURE_HEADER]: signBytes(secret, `${seconds}.`, body) };
}

/** Undefined for a request that is right, else what is wrong with it. */
export function findForgery(
  secret: string,
  { headers, body }: { readonly headers: Readonly<Record<string, string>>; readonly body: Uint8Array },
  now: number,
): string | undefined {
  const seconds = headers[TIMESTAMP_HEADER]?.trim() ?? '';
  if (!isSignedBy(secret, headers[SIGNATURE_HEADER], `${seconds}.`, body)) {
    return 'The signature is missing or wrong.';
  }
  if (!/^\d{1,12}$/.test(seconds)) return `${TIMESTAMP_HEADER} must be a number of seconds.`;
  return Math.abs(now - Number(seconds) * 1000) > TOLERANCE_MS
    ? `${TIMESTAMP_HEADER} is more than ${TOLERANCE_MS / 60_000} minutes off.`
    : undefined;
}
