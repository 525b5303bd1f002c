import type { InboxMessage } from '../../inbox/contract.ts';

/** Of messages that a clock gives to an agent in the place of a person. */
export const HEARTBEAT_CHANNEL = 'heartbeat';

export function isHeartbeat({ ctx }: Pick<InboxMessage, 'ctx'>): boolean {
  return ctx.Provider === HEARTBEAT_CHANNEL;
}
