import type { ReplyPayload } from '../../../outbox/reply-payload.ts';
import { leaveRoom, markPart } from '../../text/mark-repeat.ts';
import { splitText } from '../../text/split-text.ts';
import { renderHtml } from './render-html.ts';
import type { Rendered } from './render-inline.ts';
import { isNamedSticker } from './sticker.ts';

/** Of a message and of the text below a file, after its markup is read. */
export const TEXT_LIMIT = 4096;
const CAPTION_LIMIT = 1024;
/** Bytes of a text with its markup that Telegram reads, for each character of the limit. */
const BYTES_PER_CHARACTER = 8;

/** One message of Telegram. */
export type Part =
  | { readonly is: 'text'; readonly text: PartText }
  | { readonly is: 'file'; readonly url: string; readonly caption?: PartText };

export interface PartText extends Rendered {
  /** Without markup, in case Telegram refuses it. */
  readonly plain: string;
}

/**
 * The messages that a reply becomes: its files, the first with the beginning of the text, and then the rest of the text; in front of a
 * file that is a sticker by its name, which has no caption, the whole text. The same ones for the same reply, so that a later try can go
 * on behind those that arrived.
 */
export function makeParts(payload: ReplyPayload): readonly Part[] {
  const urls = payload.mediaUrls?.length ? payload.mediaUrls : payload.mediaUrl ? [payload.mediaUrl] : [];
  const text = payload.text?.toWellFormed() ?? '';
  const hasCaption = urls.length > 0 && !isNamedSticker(urls[0]!);
  const texts =
    text.trim() === ''
      ? []
      : splitRendered(text, (part) => leaveRoom(hasCaption && part === 0 ? CAPTION_LIMIT : TEXT_LIMIT));
  const textParts = texts.map((part): Part => ({ is: 'text', text: part }));
  if (!hasCaption) return [...textParts, ...urls.map((url): Part => ({ is: 'file', url }))];
  const files = urls.map((url, n): Part => ({ is: 'file', url, ...(n === 0 && { caption: texts[0] }) }));
  return [...files, ...textParts.slice(1)];
}

/** A text that is shown in the place of another: undefined when it needs more than one message. */
export function renderWhole(text: string): PartText | undefined {
  const parts = splitRendered(text.toWellFormed(), () => TEXT_LIMIT);
  return parts.length === 1 ? parts[0] : undefined;
}

/** A part in front of which people read that it may be a repeat. A file without a text gets one. */
export function markRepeat(part: Part, mark: string): Part {
  const before = part.is === 'text' ? part.text : part.caption;
  const marked = Object.fromEntries(
    (['html', 'text', 'plain'] as const).map((form) => [form, markPart(mark, before?.[form])]),
  );
  const text = { ...before, ...marked } as PartText;
  return part.is === 'text' ? { ...part, text } : { ...part, caption: text };
}

function splitRendered(text: string, limit: (part: number) => number): readonly PartText[] {
  return splitText(text, limit, (part) => measure(renderHtml(part))).map((source, n) => {
    const rendered = renderHtml(source);
    return { ...rendered, plain: source.length <= limit(n) ? source : rendered.text };
  });
}

function measure({ html, text }: Rendered): number {
  return Math.max(text.length, Buffer.byteLength(html) / BYTES_PER_CHARACTER);
}
