import type { DeliveryReceipt, Outlet } from '../channels/contract.ts';
import type { OutboundMessage, Outbox, OutboxMessage } from '../outbox/contract.ts';
import { decideAfterFailure, RETRY_LIMITS } from './next-try.ts';

/**
 * What a network says of a message after it was sent. A key proves that it arrived: a reply that waits as a possible repeat
 * is not sent again. A failure lets it wait for another try, or makes it a dead letter and may put another one in its place.
 */
export async function takeReceipt(
  {
    outbox,
    now,
    onDead,
    onPut,
  }: {
    readonly outbox: Pick<Outbox, 'get' | 'put' | 'prove' | 'refuse' | 'findSent'>;
    now(): number;
    onPut(): void;
    onDead(letter: OutboxMessage, error: string): void;
  },
  { name: channel, accountId }: Pick<Outlet, 'name' | 'accountId'>,
  { key, id, state, part, instead, retryAfterMs, ...failure }: DeliveryReceipt,
): Promise<void> {
  const at = now();
  if (state === 'failed') {
    const { error = 'The network did not deliver it' } = failure;
    const letter = await (key === undefined ? outbox.findSent({ channel, accountId }, id) : outbox.get(key));
    if (letter === undefined || !isOf(letter, { channel, accountId })) return;
    // First: a process that ends in between is told again, and the key is known then.
    if (instead !== undefined && isWithNetwork(letter)) {
      await outbox.put([replacementOf(letter, instead, at)]);
      onPut();
    }
    const isPermanent = retryAfterMs === undefined;
    const said = { text: error, isPermanent, mayHaveArrived: false, retryAfterMs: retryAfterMs ?? 0 };
    const after = decideAfterFailure(letter, said, { limits: RETRY_LIMITS, now: at, chance: 0.5 });
    const refused = await outbox.refuse(
      letter.key,
      after.action === 'retry'
        ? { error, at, id, nextTryAt: after.nextTryAt }
        : { error: after.error, at, id },
    );
    if (refused?.state === 'dead') onDead(refused, after.action === 'dead' ? after.error : error);
    return;
  }
  if (key === undefined) return;
  const letter = await outbox.get(key);
  // Networks give back what anyone put there.
  if (letter !== undefined && isOf(letter, { channel, accountId })) await outbox.prove(key, { at, id, part });
}

/** What takes the place of another is not replaced itself. */
const REPLACEMENT = ':instead';

function isWithNetwork({ key, state }: OutboxMessage): boolean {
  return (state === 'sent' || state === 'sending') && !key.endsWith(REPLACEMENT);
}

function replacementOf(
  { key, agentId, sessionKey, target, payload: { text } }: OutboxMessage,
  channelData: Record<string, unknown>,
  createdAt: number,
): OutboundMessage {
  return {
    key: `${key}${REPLACEMENT}`,
    agentId,
    sessionKey,
    target,
    payload: { text, channelData },
    createdAt,
  };
}

function isOf(
  { target }: OutboxMessage,
  account: { readonly channel: string; readonly accountId: string },
): boolean {
  return target.channel === account.channel && target.accountId === account.accountId;
}
