import type { ReplyPayload } from '../../outbox/reply-payload.ts';

/** Shorter texts are a repeat only when they are equal: `Done` is part of many messages. */
const MIN_PART = 10;

/** What a tool sent to the same person during the run is not sent again. */
export function dropSentByTool(
  payloads: readonly ReplyPayload[],
  sent: { readonly texts: readonly string[]; readonly mediaUrls: readonly string[] },
): ReplyPayload[] {
  const texts = sent.texts.map(normalizeForComparison).filter((text) => text !== '');
  const media = new Set(sent.mediaUrls.map(normalizeMedia));
  return payloads.map((payload) => {
    const { text, mediaUrl: _, mediaUrls: __, ...rest } = payload;
    const left = listMedia(payload).filter((url) => !media.has(normalizeMedia(url)));
    return {
      ...rest,
      ...(text !== undefined && !(payload.isError !== true && isRepeat(text, texts)) && { text }),
      ...(left.length > 0 && { mediaUrl: left[0], mediaUrls: left }),
    };
  });
}

function isRepeat(text: string, sent: readonly string[]): boolean {
  const normal = normalizeForComparison(text);
  if (normal === '') return false;
  return sent.some((other) => other === normal || (normal.length >= MIN_PART && other.includes(normal)));
}

/**
 * What was streamed as blocks is not sent again; of a text whose beginning was streamed, the rest is sent. Each block
 * counts once, in the order of the replies.
 */
export function dropStreamed(payloads: readonly ReplyPayload[], blocks: readonly string[]): ReplyPayload[] {
  const waiting = blocks.map((block) => block.trim()).filter((block) => block !== '');
  return payloads.map((payload) => {
    if (payload.text === undefined || payload.isError === true) return payload;
    let rest = payload.text.trim();
    while (waiting[0] !== undefined) {
      const end = endOfBlock(rest, waiting[0]);
      if (end === undefined) break;
      rest = rest.slice(end).trimStart();
      waiting.shift();
    }
    if (rest.length === payload.text.trim().length) return payload;
    const { text: _, ...others } = payload;
    return rest === '' ? others : { ...others, text: rest };
  });
}

/** Where the block ends in a text that begins with it, white space aside; undefined when it does not, or ends in a word. */
function endOfBlock(text: string, block: string): number | undefined {
  let at = 0;
  for (const word of block.split(/\s+/)) {
    while (at < text.length && /\s/.test(text.charAt(at))) at++;
    if (!text.startsWith(word, at)) return undefined;
    at += word.length;
  }
  return at === text.length || /\s/.test(text.charAt(at)) ? at : undefined;
}

export function listMedia(payload: ReplyPayload): readonly string[] {
  return payload.mediaUrls ?? (payload.mediaUrl === undefined ? [] : [payload.mediaUrl]);
}

/** Without case, emoji, and differences of white space and Unicode form. */
function normalizeForComparison(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[\p{Extended_Pictographic}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();
}

function normalizeMedia(url: string): string {
  const path = url.trim().replace(/^file:\/\//i, '');
  try {
    return path === url.trim() ? path : decodeURIComponent(path);
  } catch {
    return path;
  }
}
