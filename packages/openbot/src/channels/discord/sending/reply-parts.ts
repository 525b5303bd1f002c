import { hash } from 'node:crypto';
import type { ReplyPayload } from '../../../outbox/reply-payload.ts';
import { leaveRoom } from '../../text/mark-repeat.ts';
import { splitText } from '../../text/split-text.ts';
import { ANSWER_PREFIX } from '../receiving/wire-interaction.ts';
import { readList, readObject } from '../receiving/wire-message.ts';

/** One message of those that a reply becomes. */
export interface ReplyPart {
  readonly text: string;
  /** Names of files, as in `mediaUrls`. */
  readonly files: readonly string[];
  readonly components?: readonly unknown[];
  readonly embeds?: readonly unknown[];
}

/** Of one message, in characters. */
export const TEXT_LIMIT = 2000;
const MOST_FILES = 10;
const MOST_BUTTONS = 25;
const BUTTONS_IN_ROW = 5;
const LABEL_LIMIT = 80;
const ID_LIMIT = 100;

/** The same parts for the same payload, so that a later try goes on behind those that were sent. */
export function splitReply(payload: ReplyPayload): readonly ReplyPart[] {
  const { text = '', mediaUrl, mediaUrls = mediaUrl === undefined ? [] : [mediaUrl], channelData } = payload;
  const { embeds, components } = readObject(readObject(channelData).discord);
  const texts = text.trim() === '' ? [] : splitText(text, leaveRoom(TEXT_LIMIT));
  const files = inGroups(mediaUrls, MOST_FILES);
  // The files come with the end of the text, as a person would send them.
  const count = Math.max(
    texts.length + Math.max(files.length - 1, 0),
    files.length,
    embeds === undefined ? 0 : 1,
  );
  const firstWithFiles = Math.max(texts.length - 1, 0);
  const buttons = makeButtons(payload);
  return Array.from({ length: count }, (_, at) => {
    const isLast = at === count - 1;
    const rows = [...(isLast ? buttons : []), ...(isLast ? readList(components) : [])];
    return {
      text: texts[at] ?? '',
      files: files[at - firstWithFiles] ?? [],
      ...(rows.length > 0 && { components: rows.slice(0, BUTTONS_IN_ROW) }),
      ...(isLast && Array.isArray(embeds) && { embeds }),
    };
  });
}

/** The answers of a question, as far as they fit. */
function makeButtons({ question }: ReplyPayload): readonly unknown[] {
  const { answers } = readObject(question);
  const buttons = readList(answers).flatMap((answer) => {
    const { word, label = word } = readObject(answer);
    if (typeof word !== 'string' || word === '' || typeof label !== 'string') return [];
    const custom_id = `${ANSWER_PREFIX}${word}`;
    return custom_id.length > ID_LIMIT
      ? []
      : [{ type: 2, style: 2, label: label.slice(0, LABEL_LIMIT), custom_id }];
  });
  return inGroups(buttons.slice(0, MOST_BUTTONS), BUTTONS_IN_ROW).map((components) => ({
    type: 1,
    components,
  }));
}

function inGroups<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, at) =>
    all.slice(at * size, (at + 1) * size),
  );
}

/** Discord shows one message for one of these within a few minutes. 25 characters are the most that it takes. */
export function nonceOf(key: string, part: number): string {
  return `${hash('sha256', key, 'base64url').slice(0, 20)}.${part.toString(36)}`;
}
