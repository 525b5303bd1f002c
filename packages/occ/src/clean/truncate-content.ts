import { splitStatus } from './status-line.ts';
import { TRUNCATION_LIMITS } from './tool-removal.ts';
import { cutAt, truncateText } from './truncate-text.ts';

export type ResultContent = string | readonly unknown[];

/**
 * A result's content as one text within the limits. Text is what the blocks say, one after the other; an image, or any
 * other block too large to stay, is named in brackets.
 */
export function truncateToolResult(content: ResultContent): string {
  const { text, isMore } = readContent(content);
  return truncateOutput(text, isMore);
}

/**
 * An output within the limits. Where its last line says how the command ended, that line stays as the second one: without it
 * a command that failed would read as one that did not.
 * @param isMore whether something that is not in the text goes too, so that it is marked in any case
 */
export function truncateOutput(output: string, isMore = false): string {
  const { contentMarker, maxChars } = TRUNCATION_LIMITS;
  const whole = truncateText(output, contentMarker, isMore);
  const split = whole === output ? undefined : splitStatus(output);
  if (split === undefined) return whole;
  const { body, status } = split;
  const room = maxChars - status.length - 1;
  const first = body.split('\n', 1)[0]!;
  const isCut = isMore || first.length < body.length || first.length > room;
  return `${isCut ? cutAt(first, room - contentMarker.length) + contentMarker : first}\n${status}`;
}

/**
 * The content to be written in the place of a result's, of the same kind: text for text, blocks for blocks. The very same
 * value when nothing is to be cut. Small blocks of kinds unknown here stay.
 */
export function truncateContent(content: unknown): unknown {
  if (typeof content === 'string') return truncateToolResult(content);
  if (!Array.isArray(content)) return content;
  const { text, isMore, small } = readContent(content);
  const shortened = truncateOutput(text, isMore);
  if (shortened === text) return content;
  return [{ type: 'text', text: shortened }, ...small];
}

interface ReadContent {
  text: string;
  /** Whether a block goes that is no text. */
  isMore: boolean;
  small: unknown[];
}

function readContent(content: ResultContent): ReadContent {
  if (typeof content === 'string') return { text: content, isMore: false, small: [] };
  const texts: string[] = [];
  const small: unknown[] = [];
  let isMore = false;
  for (const block of content) {
    const { type, text } = (typeof block === 'object' && block !== null ? block : {}) as Record<
      string,
      unknown
    >;
    if (type === 'text' && typeof text === 'string') texts.push(text);
    else if (type !== 'image' && JSON.stringify(block).length <= TRUNCATION_LIMITS.maxChars)
      small.push(block);
    else {
      texts.push(`[${typeof type === 'string' ? type.slice(0, 20) : 'other'}]`);
      isMore = true;
    }
  }
  return { text: texts.join('\n'), isMore, small };
}
