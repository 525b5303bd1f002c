/** What a network takes for one, beside what is the same letter for letter. Imports no driver: whoever compares ids needs it. */
import type { NormalizeId } from '@openbot/sessions/key';
import type { DeliveryTarget } from '../outbox/contract.ts';
import { canonicalTarget as targetOnDiscord } from './discord/target.ts';
import { canonicalTarget as targetOnTelegram } from './telegram/target.ts';
import { canonicalTarget as targetOnWebhook } from './webhook/target.ts';
import { normalizePhone, canonicalTarget as targetOnWhatsApp } from './whatsapp/recipient.ts';

interface Spellings {
  /** One spelling for all ids of one person. Left out: ids are compared as they are. */
  readonly normalizeId?: NormalizeId;
  /** One spelling for all addresses of one recipient. May throw for what is none. */
  canonicalTarget(target: DeliveryTarget): DeliveryTarget;
}

const SPELLINGS: ReadonlyMap<string, Spellings> = new Map<string, Spellings>([
  ['telegram', { canonicalTarget: targetOnTelegram }],
  ['discord', { canonicalTarget: targetOnDiscord }],
  ['whatsapp', { normalizeId: normalizePhone, canonicalTarget: targetOnWhatsApp }],
  ['webhook', { canonicalTarget: targetOnWebhook }],
]);

export function findNormalizeId(channel: string): NormalizeId | undefined {
  return SPELLINGS.get(channel)?.normalizeId;
}

/** The target in the one spelling that its recipient has. What no network of ours can read stays as it is. */
export function canonicalTarget(target: DeliveryTarget): DeliveryTarget {
  try {
    return SPELLINGS.get(target.channel)?.canonicalTarget(target) ?? target;
  } catch {
    return target;
  }
}

/** Whether two addresses are one recipient, thread included. */
export function isSameRecipient(one: DeliveryTarget, other: DeliveryTarget): boolean {
  const [first, second] = [one, other].map(canonicalTarget) as [DeliveryTarget, DeliveryTarget];
  return (
    first.channel === second.channel &&
    first.accountId === second.accountId &&
    first.to === second.to &&
    String(first.threadId ?? '') === String(second.threadId ?? '')
  );
}
