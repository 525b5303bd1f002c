const KEYWORD = /^[ \t]*(?:[-*] )?[`*_]{0,3}MEDIA:[ \t]*/;
const MAX_LENGTH = 4096;
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
const DRIVE = /^[a-z]:[\\/]/i;
const EXTENSION = /\.[a-z0-9]{1,10}$/i;

/**
 * The media of one line: `MEDIA: /tmp/a.png`, several addresses, and in quotes or alone also a path with spaces.
 * Undefined for a line that is text.
 */
export function parseMediaLine(line: string): readonly string[] | undefined {
  const keyword = KEYWORD.exec(line);
  if (keyword === null || line.length > MAX_LENGTH) return undefined;
  const rest = line
    .slice(keyword[0].length)
    .replace(/[`*_]{1,3}[ \t]*$/, '')
    .trim();
  const words = splitWords(rest);
  if (words.length > 0 && words.every(({ text, isQuoted }) => isMedia(text, words.length > 1 && !isQuoted)))
    return words.map(({ text }) => toPath(text));
  return isMedia(rest, false) ? [toPath(rest)] : undefined;
}

/** By spaces and commas between words; a quoted one is one word. */
function splitWords(text: string): readonly { readonly text: string; readonly isQuoted: boolean }[] {
  const words: { text: string; isQuoted: boolean }[] = [];
  for (const found of text.matchAll(/"([^"]*)"|'([^']*)'|`([^`]*)`|([^\s"'`]+)/g)) {
    const word = (found[1] ?? found[2] ?? found[3] ?? found[4]?.replace(/,$/, '') ?? '').trim();
    if (word !== '') words.push({ text: word, isQuoted: found[4] === undefined });
  }
  return words;
}

/** A bare file name counts only by itself: in a row of words it is rather part of a name with spaces. */
function isMedia(word: string, isOneOfSeveral: boolean): boolean {
  if (/^https?:\/\/[^\s/]+/i.test(word)) return !/\s/.test(word);
  if (/^file:\/\//i.test(word) || DRIVE.test(word)) return true;
  if (SCHEME.test(word)) return false;
  if (/^(?:\/|\.{1,2}\/|~\/|\\\\)/.test(word)) return !isOneOfSeveral || EXTENSION.test(word);
  return EXTENSION.test(word) && (!isOneOfSeveral || word.includes('/'));
}

function toPath(word: string): string {
  return word.replace(/^file:\/\//i, '');
}
