import type { DeliveryTarget } from '../../outbox/contract.ts';
import type { Json } from '../http/hostile-json.ts';
import { sendFailure } from '../send-failure.ts';

/** `4915112345678@s.whatsapp.net`, perhaps with the number of a device. */
const ACCOUNT = /^(\d{5,20})(?::\d+)?@s\.whatsapp\.net$/;

/** A number goes into `to`, a user id into `recipient`. */
export function readRecipient(address: string): Json {
  const id = address.trim().replace(/^whatsapp:/i, '');
  const ends = { messaging_product: 'whatsapp', recipient_type: 'individual' };
  const digits = (ACCOUNT.exec(id)?.[1] ?? id).replace(/^\+|[\s().-]/g, '');
  if (/^\d{5,20}$/.test(digits)) return { ...ends, to: digits };
  // Session keys have small letters.
  if (/^[a-z]{2}\.[a-z0-9.]{1,128}$/i.test(id)) {
    return { ...ends, recipient: `${id.slice(0, 2).toUpperCase()}${id.slice(2)}` };
  }
  throw sendFailure(`"${id.slice(0, 40)}" is neither a phone number nor a user id of WhatsApp`, {
    isPermanent: true,
    mayHaveArrived: false,
    reason: 'gone',
  });
}

/** One spelling for all addresses of a number or a user id. */
export function canonicalTarget(target: DeliveryTarget): DeliveryTarget {
  const { to, recipient } = readRecipient(target.to);
  return { ...target, to: `whatsapp:${to === undefined ? recipient : `+${to}`}` };
}

/** `+49 (151) 123-456`, or digits alone. */
const WRITTEN = /^(?:\+[\d\s().-]*\d|\d+)$/;

/** A phone number as `+` and digits, however it is written. Any other id of WhatsApp is exact, and stays as it is. */
export function normalizePhone(id: string): string {
  const written = ACCOUNT.exec(id)?.[1] ?? WRITTEN.exec(id)?.[0];
  return written === undefined ? id : `+${written.replace(/\D/g, '')}`;
}
