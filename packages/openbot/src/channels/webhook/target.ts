import type { DeliveryTarget } from '../../outbox/contract.ts';

/** The conversation that an address means: `webhook:crew`, or `crew`. */
export function readConversation(to: string): string {
  return to.replace(/^webhook:/, '');
}

/** One spelling for all addresses of a conversation and a thread. */
export function canonicalTarget(target: DeliveryTarget): DeliveryTarget {
  const { to, threadId } = target;
  return {
    ...target,
    to: `webhook:${readConversation(to)}`,
    ...(threadId !== undefined && { threadId: String(threadId) }),
  };
}
