import { TRUNCATION_LIMITS } from './tool-removal.ts';

/**
 * The text as it is when it is within the limits; otherwise its beginning and the marker, together within them. A
 * shortened text is within the limits, so that the next clean leaves it alone.
 * @param isMore whether something that is not in the text goes too, so that it is marked in any case
 */
export function truncateText(text: string, marker: string, isMore = false): string {
  const head = firstLines(text);
  const isWhole = head.length === text.length;
  if (isWhole && !isMore && text.length <= TRUNCATION_LIMITS.maxChars) return text;
  // A line end before the marker would make it a line of its own.
  const unended = head.endsWith('\n') ? head.slice(0, -1) : head;
  return cutAt(unended, TRUNCATION_LIMITS.maxChars - marker.length) + marker;
}

function firstLines(text: string): string {
  let end = -1;
  for (let line = 0; line < TRUNCATION_LIMITS.maxLines; line++) {
    end = text.indexOf('\n', end + 1);
    if (end < 0) return text;
  }
  // A line end at the very end begins no further line.
  return end === text.length - 1 ? text : text.slice(0, end);
}

/** At most `length` units, and never half of a surrogate pair. */
export function cutAt(text: string, length: number): string {
  if (text.length <= length) return text;
  const end = Math.max(0, length);
  const last = text.charCodeAt(end - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? end - 1 : end);
}
