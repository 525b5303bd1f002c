import type { DeliveryTarget } from '../../outbox/contract.ts';

/** `user:1`, `<@1>` and `discord:1` are a person, `channel:1` and `1` a channel. Undefined for what is neither. */
export function readPlace(
  address: string,
): { readonly kind: 'user' | 'channel'; readonly id: string } | undefined {
  const to = address.trim();
  const [, person, id] = /^(?:discord:)?(?:(user:|<@!?)|channel:)?(\d{1,20})>?$/.exec(to) ?? [];
  if (id === undefined) return undefined;
  return { kind: person !== undefined || /^discord:\d/.test(to) ? 'user' : 'channel', id };
}

/** One spelling for all addresses of a person or a channel. */
export function canonicalTarget(target: DeliveryTarget): DeliveryTarget {
  const place = readPlace(target.to);
  const { threadId } = target;
  return {
    ...target,
    ...(place !== undefined && { to: `${place.kind}:${place.id}` }),
    ...(threadId !== undefined && { threadId: String(threadId) }),
  };
}
