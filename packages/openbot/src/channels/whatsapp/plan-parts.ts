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

/** The same payload gives the same parts. `takesCaption` says it of a file. */
export async function planParts(
  payload: ReplyPayload,
  takesCaption: (url: string) => Promise<boolean>,
): Promise<readonly Part[]> {
  const text = renderText(payload.text ?? '').trim();
  const { mediaUrl, mediaUrls = [] } = payload;
  const urls = [...new Set(mediaUrl === undefined ? mediaUrls : [mediaUrl, ...mediaUrls])];
  const files = urls.map((url) => ({ kind: 'file' as const, url }));
  const buttons = readButtons(payload);
  if (text === '') return files;
  const [first, ...others] = files;
  const isShort = buttons.length === 0 && text.length <= leaveRoom(SHORT_LIMIT);
  if (first !== undefined && isShort && (await takesCaption(first.url))) {
    return [{ ...first, caption: text }, ...others];
  }
  return [...planText(text, buttons), ...files];
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
