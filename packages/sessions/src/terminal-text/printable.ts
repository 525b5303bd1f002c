/** Nearly every text is of these alone, and needs no closer look. */
const PLAIN = /^[\x20-\x7e]*$/;

/**
 * Text from outside (paths, branches, messages) as it may be sent to a terminal or a log, on one line: control
 * characters could move the cursor, recolour, rename the window or forge a line, and invisible ones could hide text.
 */
export function printable(text: string): string {
  if (PLAIN.test(text)) return text;
  const hostile =
    /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\u3164\ufeff\u{e0000}-\u{e007f}]|[\u{e0100}-\u{e01ef}]/gu;
  return text.replace(hostile, '�').toWellFormed();
}

/** Prose on one line: every stretch of white space becomes one space. A path needs `printable` instead. */
export function oneLine(text: string): string {
  return printable(text.replace(/\s+/g, ' ').trim());
}

/** At most so many characters, an emoji being one, with `…` where the rest was. */
export function shorten(text: string, limit: number): string {
  if (text.length <= limit) return text;
  // Text of megabytes is not spread into an array.
  const characters = [...text.slice(0, 2 * limit + 2)];
  return characters.length <= limit
    ? text
    : `${characters
        .slice(0, limit - 1)
        .join('')
        .trimEnd()}…`;
}
