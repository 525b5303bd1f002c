import { isDeepStrictEqual } from 'node:util';
import type { Outlet, SendRequest } from '../channels/contract.ts';
import { readSendFailure, sendFailure } from '../channels/send-failure.ts';
import { splitText } from '../channels/text/split-text.ts';
import type { Outbox, OutboxMessage } from '../outbox/contract.ts';

/** The reply that takes the place of the draft of its turn. */
export function firstReplyOf(turnId: string): string {
  return `${turnId}:0`;
}

/** The draft that people see in the place where this reply belongs; undefined for any other message. */
export async function findDraft(
  outbox: Pick<Outbox, 'get'>,
  channel: Outlet,
  { key, turnId, target, payload }: OutboxMessage,
): Promise<string | undefined> {
  if (channel.edit === undefined || turnId === undefined || key !== firstReplyOf(turnId)) return undefined;
  // What is for one network alone cannot be shown by an edit.
  if (payload.channelData !== undefined) return undefined;
  const draft = await outbox.get(`${turnId}:draft`);
  return draft?.state === 'sent' && isDeepStrictEqual(draft.target, target) ? draft.ids[0] : undefined;
}

/**
 * Shows the beginning of a reply in the place of its draft, and sends what is left behind it. A draft that cannot be edited
 * any more stays as it is, and the reply is sent.
 */
export async function sendOverDraft(
  channel: Outlet,
  request: SendRequest,
  draftId: string,
): Promise<{ readonly ids: readonly string[] }> {
  const { payload, target, signal, sentIds } = request;
  const { text = '', ...others } = payload;
  // An earlier try found that it cannot be edited, and sent other messages.
  if (text === '' || (sentIds.length > 0 && sentIds[0] !== draftId)) return channel.send(request);
  const [first = '', ...rest] = splitText(text, channel.capabilities.textLimit);
  const hasMore = rest.length > 0 || payload.mediaUrl !== undefined || (payload.mediaUrls ?? []).length > 0;
  if (sentIds.length === 0) {
    try {
      await channel.edit!({ target, id: draftId, text: first, signal });
    } catch (error) {
      const { isPermanent, text: why, retryAfterMs } = readSendFailure(error);
      if (isPermanent) return channel.send(request);
      throw sendFailure(why, { isPermanent, mayHaveArrived: false, retryAfterMs, cause: error });
    }
    if (hasMore) await request.onPart(draftId);
  }
  if (!hasMore) return { ids: [draftId] };
  const { replyToId: _shown, ...media } = others;
  const left = rest.join('\n\n');
  const { ids } = await channel.send({
    ...request,
    payload: left === '' ? media : { ...media, text: left },
    // Before the edit was recorded nothing was sent behind it.
    mark: sentIds.length === 0 ? undefined : request.mark,
    sentIds: sentIds.slice(1),
  });
  return { ids: [draftId, ...ids] };
}
