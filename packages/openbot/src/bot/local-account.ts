import { randomUUID } from 'node:crypto';
import type { Channel } from '../channels/contract.ts';
import type { Outbox } from '../outbox/contract.ts';
import { LOCAL_CHANNEL } from '../turn/deliver.ts';
import { isProcessGone, nameProcess } from './process-name.ts';

/**
 * The place where messages of the person at this machine come from: this process. Its replies are in the outbox like all
 * others, so that they are found also when another process runs the turn; `say` reads them there.
 */
export function openLocalAccount(): Channel {
  return {
    name: LOCAL_CHANNEL,
    accountId: nameProcess(),
    recognisesRepeats: true,
    start: async () => {},
    send: async () => ({ ids: [] }),
    stop: async () => {},
  };
}

/** Replies to processes that ended before they had them. The transcript has their text. */
export async function giveUpLocalReplies(outbox: Outbox, now: number): Promise<void> {
  for (const { channel, accountId, count } of await outbox.waitingAccounts()) {
    if (channel !== LOCAL_CHANNEL || !isProcessGone(accountId)) continue;
    const owner = randomUUID();
    const claimed = await outbox.claim({ channel, accountId, owner, now, leaseMs: 60_000, limit: count });
    for (const { key } of claimed) {
      const error = 'The command that asked ended before it had the answer. The transcript has it.';
      await outbox.dead(key, owner, { error, at: now });
    }
  }
}
