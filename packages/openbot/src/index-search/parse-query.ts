import { toSearchable } from '../index-db/searchable-text.ts';

/** What is searched for. Every part must be in a message. */
export interface ParsedQuery {
  /** In the language of FTS5, with nothing of the person's own that it could take for syntax. Empty without words. */
  readonly match: string;
  /** Signs that are no words, such as an emoji: they are looked for as they are. */
  readonly signs: readonly string[];
  /** The words and phrases one by one, as they were written. */
  readonly parts: readonly QueryPart[];
}

export interface QueryPart {
  readonly text: string;
  readonly isPrefix: boolean;
  readonly isPhrase: boolean;
}

/**
 * Words, "phrases" and beginnings (`word*`). A word of the command line with a space in it was in quotation marks, so it is
 * a phrase.
 */
export function parseQuery(words: readonly string[]): ParsedQuery {
  const parts = words.flatMap(splitWord);
  const isWord = ({ text }: QueryPart) => /[\p{L}\p{N}\p{Co}]/u.test(text);
  return {
    match: parts.filter(isWord).map(toMatch).join(' AND '),
    signs: parts.filter((part) => !isWord(part)).map(({ text }) => text),
    parts,
  };
}

function splitWord(word: string): QueryPart[] {
  // SQLite ends a text at the first NUL.
  const text = word.replace(/\p{Cc}+/gu, ' ').toWellFormed();
  if (!text.includes('"')) return toPart(text.trim(), /\s/.test(text.trim()));
  // Pieces with an odd number were in quotation marks; the last one may lack its end.
  return text.split('"').flatMap((piece, at) => {
    if (at % 2 === 1) return toPart(piece.trim(), true);
    return piece.split(/\s+/).flatMap((one) => toPart(one, false));
  });
}

function toPart(text: string, isPhrase: boolean): QueryPart[] {
  const isPrefix = text.endsWith('*') && /[\p{L}\p{N}\p{Co}]\*+$/u.test(text);
  const bare = isPrefix ? text.replace(/\*+$/, '') : text;
  return bare === '' ? [] : [{ text: bare, isPrefix, isPhrase }];
}

export function toMatch({ text, isPrefix }: QueryPart): string {
  return `"${toSearchable(text).replaceAll('"', '""')}"${isPrefix ? '*' : ''}`;
}
