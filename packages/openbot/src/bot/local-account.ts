import { randomUUID } from 'node:crypto';
import { type Outlet, OWN_OUTLET } from '../channels/contract.ts';
import type { Outbox } from '../outbox/contract.ts';
import { LOCAL_CHANNEL } from '../turn/deliver.ts';
import { isProcessGone, nameProcess } from './process-name.ts';

/**
 * The place where messages of the person at this machine come from: this process. Its replies are in the outbox like all
 * others, so that they are found also when another process runs the turn; `say` reads them there.
 */
export function openLocalAccount(): Outlet {
  return {
    name: LOCAL_CHANNEL,
    accountId: nameProcess(),
    capabilities: OWN_OUTLET,
    send: async () => ({ ids: [] }),
  };
}

/** Messages to accounts of a channel that are processes which have ended. */
export async function giveUpRepliesTo(
  wanted: string,
  outbox: Outbox,
  { now, error }: { readonly now: number; readonly error: string },
): Promise<void> {
  for (const { channel, accountId, count } of await outbox.waitingAccounts()) {
    if (channel !== wanted || !isProcessGone(accountId)) continue;
    const owner = randomUUID();
    // Of each recipient only the first one is given out at a time.
    for (let left = count; left > 0; ) {
      const claimed = await outbox.claim({ channel, accountId, owner, now, leaseMs: 60_000, limit: left });
      if (claimed.length === 0) break;
      for (const { key } of claimed) await outbox.dead(key, owner, { error, at: now });
      left -= claimed.length;
    }
  }
}
