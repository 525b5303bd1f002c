/** Nearly every text is of these alone, and needs no closer look. */
const PLAIN = /^[\x20-\x7e]*$/;

/** England, Scotland and Wales: the flags that are written with tags, which could otherwise spell out a hidden text. */
const TAGGED_FLAG =
  /\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}/u;
const CONTROL = /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\u3164\ufeff\u{e0000}-\u{e007f}]/u;
/** Behind a Han character, one of these chooses how it is drawn. */
const STRAY_VARIANT = /(?<!\p{Script=Han})[\u{e0100}-\u{e01ef}]/u;
/** Made where a text needs it: that takes half a millisecond, which every command would pay at its start. */
let hostile: RegExp | undefined;

/**
 * Text from outside (paths, branches, messages) as it may be sent to a terminal or a log, on one line: control
 * characters could move the cursor, recolour, rename the window or forge a line, and invisible ones could hide text.
 */
export function printable(text: string): string {
  if (PLAIN.test(text)) return text;
  hostile ??= new RegExp(`(${TAGGED_FLAG.source})|${CONTROL.source}|${STRAY_VARIANT.source}`, 'gu');
  return text.replace(hostile, (_, flag?: string) => flag ?? '�').toWellFormed();
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
