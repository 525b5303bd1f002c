import type { ChannelSettings } from '../../config/bot-config.ts';
import type { ReplyPayload } from '../../outbox/reply-payload.ts';

export type ReplyToMode = NonNullable<ChannelSettings['replyToMode']>;

/**
 * Decides which message each reply answers. One without a choice of its own answers the current message, as far as the
 * mode allows. With `off`, what the model asked for by a tag still counts.
 */
export function applyReplyThreading(params: {
  payloads: readonly ReplyPayload[];
  mode: ReplyToMode;
  currentMessageId?: string;
  /** A part of the reply was sent before. It was the first one. */
  hasBegun?: boolean;
}): ReplyPayload[] {
  const { payloads, mode, currentMessageId, hasBegun = false } = params;
  let hasThreaded = hasBegun;
  return payloads.map((payload) => {
    const isChosen = payload.replyToTag === true || payload.replyToCurrent === true;
    const implied = payload.replyToCurrent === false ? undefined : currentMessageId;
    const replyToId = payload.replyToId ?? implied;
    const isAllowed = mode === 'all' || (mode === 'off' ? isChosen : !hasThreaded);
    const { replyToId: _, ...rest } = payload;
    if (replyToId === undefined || !isAllowed) return rest;
    hasThreaded = true;
    return { ...rest, replyToId };
  });
}
