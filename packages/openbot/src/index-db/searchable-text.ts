/** Scripts that are written without spaces, and Korean, whose words have endings. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const BOUNDARY = new RegExp(`(?=${UNSPACED.source})|(?<=${UNSPACED.source})`, 'gu');
/** Invisible, and no part of a word to SQLite. */
const SEPARATOR = '\u200b';

/**
 * A text as it is given to SQLite, which takes a stretch of letters for one word. Characters of scripts without spaces
 * are separated, so that any part of a sentence can be found as a phrase. (SQLite's trigrams would find none that is
 * shorter than three characters, and most Chinese and Japanese words have two.)
 */
export function toSearchable(text: string): string {
  const plain = MARKS.test(text) ? text.replaceAll(ALL_MARKS, '') : text;
  return UNSPACED.test(plain) ? plain.replaceAll(SEPARATOR, '').replace(BOUNDARY, SEPARATOR) : plain;
}

/** Around what was found, in what SQLite gives back. No text has them. */
export const HIT_BEGINS = '\u0002';
export const HIT_ENDS = '\u0003';
// biome-ignore lint/suspicious/noControlCharactersInRegex: these two
const MARKS = /[\u0002\u0003]/;
const ALL_MARKS = new RegExp(MARKS.source, 'g');

/** The text itself. */
export function fromSearchable(text: string): string {
  return text.includes(SEPARATOR) ? text.replaceAll(SEPARATOR, '') : text;
}
