import { findNearest } from '@openbot/sessions/terminal-text';
import type { IndexDatabase } from '../index-db/index-database.ts';
import { type ParsedQuery, parseQuery, toMatch } from './parse-query.ts';
import { type SearchedText, type SearchRequest, searchMessages } from './search.ts';

export interface Suggestion {
  /** Words that no message has, with the most similar one that some have. */
  readonly unknown: readonly { readonly word: string; readonly nearest?: string }[];
  /** Hits without the limits of the request: in the other text, or of every session. */
  readonly inTools: boolean;
  readonly withoutLimits: boolean;
  /** Hits for the words of a phrase apart. */
  readonly asWords: boolean;
}

/** What may help a person whose search found nothing. */
export async function suggest(database: IndexDatabase, request: SearchRequest): Promise<Suggestion> {
  const { query, texts, roots } = request;
  const has = async (other: Partial<SearchRequest>) =>
    (await searchMessages(database, { ...request, ...other, limit: 1 })).length > 0;
  const apart = splitPhrases(query);
  return {
    unknown: await database.read(() => findUnknown(database, apart, texts)),
    inTools: !texts.includes('tools') && (await has({ texts: ['tools'] })),
    withoutLimits: (await searchMessages(database, { query, texts, roots, limit: 1 })).length > 0,
    asWords: apart.parts.length > query.parts.length && (await has({ query: apart })),
  };
}

function splitPhrases({ parts }: ParsedQuery): ParsedQuery {
  return parseQuery(
    parts.flatMap(({ text, isPrefix }) => {
      const words = text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
      return words.map((word, at) => (isPrefix && at === words.length - 1 ? `${word}*` : word));
    }),
  );
}

const MOST_SIMILAR = 2000;

function findUnknown(
  database: IndexDatabase,
  { parts }: ParsedQuery,
  texts: readonly SearchedText[],
): { word: string; nearest?: string }[] {
  return parts.flatMap((part) => {
    const isKnown = texts.some(
      (text) =>
        database.prepare(`SELECT 1 FROM ${text} WHERE ${text} MATCH ? LIMIT 1`).get(toMatch(part)) !==
        undefined,
    );
    if (isKnown) return [];
    const word = part.text.toLowerCase();
    const [first = ''] = word;
    const similar = listWords(database, first).filter((one) => Math.abs(one.length - word.length) <= 2);
    // Of all the words that people use, many share a letter with a short one.
    const most = Math.max(1, Math.floor(word.length / 3));
    return [{ word: part.text, nearest: findNearest(word, similar, most) }];
  });
}

/** The words of the index with a beginning, the most frequent first. */
function listWords(database: IndexDatabase, beginning: string): string[] {
  database
    .prepare("CREATE VIRTUAL TABLE IF NOT EXISTS temp.said_words USING fts5vocab(main, said, 'row')")
    .run();
  return database
    .prepare('SELECT term FROM temp.said_words WHERE term >= ? AND term < ? ORDER BY doc DESC LIMIT ?')
    .all(beginning, `${beginning}\u{10ffff}`, MOST_SIMILAR)
    .map(({ term }) => String(term));
}
