import type { ReplyPayload } from '../../outbox/reply-payload.ts';
import { applyReplyThreading, type ReplyToMode } from './apply-reply-threading.ts';
import { dropSentByTool, dropStreamed, listMedia } from './drop-repeats.ts';
import { parseReplyDirectives } from './parse-reply-directives.ts';
import { addResponsePrefix, type PrefixValues } from './response-prefix.ts';
import { addSessionExtras, type SessionExtras } from './session-extras.ts';
import { stripHeartbeatToken } from './tokens.ts';

export interface ReplyParams {
  /** One for each message of the model, in order; and failures, see `buildErrorPayload`. */
  payloads: readonly ReplyPayload[];
  isHeartbeat?: boolean;
  /** `off` when absent. */
  replyToMode?: ReplyToMode;
  /** The message that began the turn, as the channel names it. */
  currentMessageId?: string;
  /** What a tool sent to the same conversation during the run. */
  sentByTool?: { readonly texts?: readonly string[]; readonly mediaUrls?: readonly string[] };
  /** Blocks that were sent while the model was writing. */
  streamedBlocks?: readonly string[];
  /** Where a file of a `MEDIA:` line is; the line stays text when undefined. Anything is sent as it is when absent. */
  resolveMedia?: (url: string) => string | undefined;
  /** `messages.responsePrefix` */
  responsePrefix?: string;
  prefixValues?: PrefixValues;
  extras?: SessionExtras;
}

/** From what the model wrote to what people are sent. Empty when there is nothing to say. */
export function buildReplyPayloads(params: ReplyParams): ReplyPayload[] {
  const { isHeartbeat = false, replyToMode = 'off', currentMessageId, sentByTool, streamedBlocks } = params;
  const spoken = params.payloads
    .map((payload) => (isHeartbeat ? payload : withoutHeartbeat(payload)))
    .map((payload) => readDirectives(payload, params.resolveMedia, currentMessageId))
    .filter(isRenderable);
  const unsent = dropStreamed(
    dropSentByTool(spoken, { texts: sentByTool?.texts ?? [], mediaUrls: sentByTool?.mediaUrls ?? [] }),
    streamedBlocks ?? [],
  ).filter(isRenderable);
  // Behind what drops replies: a dropped one would be the first one of `replyToMode: first`.
  const threaded = applyReplyThreading({
    payloads: unsent,
    mode: replyToMode,
    currentMessageId,
    hasBegun: (streamedBlocks?.length ?? 0) > 0,
  });
  const prefixed = addResponsePrefix(threaded, params.responsePrefix, params.prefixValues);
  return addSessionExtras(prefixed, params.extras ?? {}, { isSilent: spoken.length === 0 });
}

function withoutHeartbeat(payload: ReplyPayload): ReplyPayload {
  if (payload.text === undefined || payload.isError === true) return payload;
  return { ...payload, text: stripHeartbeatToken(payload.text) };
}

function readDirectives(
  payload: ReplyPayload,
  resolveMedia: ReplyParams['resolveMedia'],
  currentMessageId: string | undefined,
): ReplyPayload {
  // The text of an error is ours or a provider's, and neither gives directives.
  if (payload.text === undefined || payload.isError === true) return payload;
  const { text: raw, ...rest } = payload;
  const { text, mediaUrls, replyToId, replyToCurrent, audioAsVoice } = parseReplyDirectives(
    raw,
    resolveMedia,
  );
  const media = [...listMedia(payload), ...mediaUrls];
  const target = replyToId ?? rest.replyToId ?? (replyToCurrent ? currentMessageId : undefined);
  return {
    ...rest,
    ...(text !== '' && { text }),
    ...(media.length > 0 && { mediaUrl: media[0], mediaUrls: media }),
    ...(target !== undefined && { replyToId: target }),
    ...((replyToId !== undefined || replyToCurrent) && { replyToTag: true }),
    ...(replyToCurrent && { replyToCurrent }),
    ...(audioAsVoice && { audioAsVoice }),
  };
}

/** Whether a person would see anything. A directive or invisible characters alone are not a message. */
function isRenderable(payload: ReplyPayload): boolean {
  const hasText = /[^\s\p{Cf}\p{Cc}\p{Default_Ignorable_Code_Point}]/u.test(payload.text ?? '');
  return hasText || listMedia(payload).length > 0 || payload.channelData !== undefined;
}
