import type { ReplyPayload } from '../../outbox/reply-payload.ts';
import { type Json, readObjects, readText } from '../http/hostile-json.ts';
import { leaveRoom } from '../text/mark-repeat.ts';
import { splitText } from '../text/split-text.ts';
import { renderText } from './render-text.ts';

export const TEXT_LIMIT = 4096;
/** Of a caption, and of a text with buttons below it. */
export const SHORT_LIMIT = 1024;
const MOST_BUTTONS = 3;
const LONGEST_TITLE = 20;

/** In front of the word that a button stands for, to tell ours from those of templates and other programs. */
export const ANSWER_PREFIX = 'answer:';

export interface Button {
  readonly id: string;
  readonly title: string;
}

/** One message of WhatsApp. */
export type Part =
  | { readonly kind: 'text'; readonly text: string; readonly buttons?: readonly Button[] }
  | { readonly kind: 'file'; readonly url: string; readonly caption?: string };

/**
 * The same payload gives the same parts, whatever can be read of its files now: a later try goes on behind those that were
 * sent. The text is a caption unless the name of the file says that it is shown without one.
 */
export function planParts(payload: ReplyPayload): readonly Part[] {
  const text = renderText(payload.text ?? '').trim();
  const { mediaUrl, mediaUrls = [] } = payload;
  const urls = [...new Set(mediaUrl === undefined ? mediaUrls : [mediaUrl, ...mediaUrls])];
  const files = urls.map((url) => ({ kind: 'file' as const, url }));
  const buttons = readButtons(payload);
  if (text === '') return files;
  const [first, ...others] = files;
  const isShort = buttons.length === 0 && text.length <= leaveRoom(SHORT_LIMIT);
  if (first !== undefined && isShort && !isNamedMute(first.url)) {
    return [{ ...first, caption: text }, ...others];
  }
  return [...planText(text, buttons), ...files];
}

/** Sound and stickers, by their names. A file that proves to be one is sent as a document, which has a caption. */
function isNamedMute(url: string): boolean {
  if (/^data:/i.test(url)) return /^data:(audio\/|image\/webp)/i.test(url);
  return /\.(aac|amr|m4a|mp3|oga|ogg|opus|wav|webp)$/i.test(url.replace(/[?#].*$/s, ''));
}

function planText(text: string, buttons: readonly Button[]): Part[] {
  const texts = splitText(text, leaveRoom(TEXT_LIMIT));
  if (buttons.length === 0) return texts.map((part) => ({ kind: 'text', text: part }));
  const ending = splitText(texts.at(-1)!, leaveRoom(SHORT_LIMIT));
  const all = [...texts.slice(0, -1), ...ending];
  return all.map((part, at) => ({ kind: 'text', text: part, ...(at === all.length - 1 && { buttons }) }));
}

/** None where WhatsApp could not show all of them: people then answer in words. */
function readButtons({ question }: ReplyPayload): readonly Button[] {
  const answers = readObjects((question as Json | undefined)?.answers);
  const buttons = answers.flatMap(({ word, label }) => {
    const [id, title] = [readText(word), cutTitle(readText(label) ?? readText(word) ?? '')];
    return id === undefined || title === '' ? [] : [{ id: `${ANSWER_PREFIX}${id}`, title }];
  });
  const isShowable =
    buttons.length === answers.length &&
    buttons.length <= MOST_BUTTONS &&
    new Set(buttons.map(({ title }) => title)).size === buttons.length;
  return isShowable ? buttons : [];
}

function cutTitle(label: string): string {
  return label.length <= LONGEST_TITLE ? label : `${label.slice(0, LONGEST_TITLE - 1)}…`;
}
