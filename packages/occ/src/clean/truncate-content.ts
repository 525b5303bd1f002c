import { TRUNCATION_LIMITS } from './tool-removal.ts';
import { truncateText } from './truncate-text.ts';

export type ResultContent = string | readonly unknown[];

/**
 * A result's content as one text within the limits. Text is what the blocks say, one after the other; an image, or any
 * other block too large to stay, is named in brackets.
 */
export function truncateToolResult(content: ResultContent): string {
  const { text, isMore } = readContent(content);
  return truncateText(text, TRUNCATION_LIMITS.contentMarker, isMore);
}

/**
 * The content to be written in the place of a result's, of the same kind: text for text, blocks for blocks. The very same
 * value when nothing is to be cut. Small blocks of kinds unknown here stay.
 */
export function truncateContent(content: unknown): unknown {
  if (typeof content === 'string') return truncateToolResult(content);
  if (!Array.isArray(content)) return content;
  const { text, isMore, small } = readContent(content);
  const shortened = truncateText(text, TRUNCATION_LIMITS.contentMarker, isMore);
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
