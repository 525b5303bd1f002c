import type { ThreadMarker } from './parsed-key.ts';

/** The position of an id in a key, which decides what in it would be taken for structure. */
interface IdPosition {
  /** Words that would end the id if text follows them within it. */
  words: ReadonlySet<string>;
  /** Words that would do so at the id's end, because the key goes on behind it. */
  wordsAtEnd?: ReadonlySet<string>;
  /** The word in front of the id demands an id, so the id's first word is never structure. */
  firstIsFree: boolean;
}

export const THREAD_WORDS: ReadonlySet<string> = new Set<ThreadMarker>(['thread', 'topic']);
const CRON_WORDS: ReadonlySet<string> = new Set<string>([...THREAD_WORDS, 'run']);

export const PEER_POSITION: IdPosition = { words: THREAD_WORDS, firstIsFree: true };
export const THREAD_POSITION: IdPosition = { words: THREAD_WORDS, firstIsFree: false };
export const CRON_JOB_POSITION: IdPosition = { words: CRON_WORDS, firstIsFree: true };
/** A job may hold `run` when a run follows: the last one counts. */
export const CRON_JOB_OF_RUN_POSITION: IdPosition = { ...PEER_POSITION, wordsAtEnd: THREAD_WORDS };
export const CRON_RUN_POSITION: IdPosition = { words: CRON_WORDS, firstIsFree: false };

/**
 * Keys are in lower case and have no spaces at their end. What an id would lose by that is written as its UTF-8 bytes,
 * `%4d` for `M`, so that two ids never have one key; each percent sign of such an id is `%25`.
 *
 * Ids come from channels and may hold colons. An id that would read as key structure (`a:thread:b`) is written with its
 * colons as `%3a` and its percent signs as `%25`; every other id is written as it is. Unquoting is exact: an id that
 * only looks quoted is quoted itself.
 */
export function quoteId(id: string, position: IdPosition): string {
  const kept = needsEscapes(id, position) ? addEscapes(id, position) : id;
  return needsQuotes(kept, position) ? addQuotes(kept) : kept;
}

export function unquoteId(written: string, position: IdPosition): string {
  const id = stripQuotes(written);
  const isQuoted = id !== written && addQuotes(id) === written && needsQuotes(id, position);
  const kept = isQuoted ? id : written;
  return readEscaped(kept, position) ?? kept;
}

function needsEscapes(id: string, position: IdPosition): boolean {
  return (
    splitEnd(id, position)[1] !== '' || id.toLowerCase() !== id || readEscaped(id, position) !== undefined
  );
}

/** The id that is written so. Undefined for text that stands for itself. */
function readEscaped(text: string, position: IdPosition): string | undefined {
  if (!text.includes('%')) return undefined;
  const id = stripEscapes(text);
  const isEscaped = id !== text && addEscapes(id, position) === text && needsEscapes(id, position);
  return isEscaped ? id : undefined;
}

function addEscapes(id: string, position: IdPosition): string {
  const [text, spaces] = splitEnd(id, position);
  const chars = [...text].map((char) =>
    char === '%' || char.toLowerCase() !== char ? writeBytes(char) : char,
  );
  return chars.join('') + writeBytes(spaces);
}

/** An id, and the spaces behind it that a key would lose. */
function splitEnd(id: string, { wordsAtEnd }: IdPosition): readonly [string, string] {
  const end = wordsAtEnd === undefined ? id.trimEnd().length : id.length;
  return [id.slice(0, end), id.slice(end)];
}

function writeBytes(text: string): string {
  return [...new TextEncoder().encode(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
}

function stripEscapes(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/g, (run) => {
    const bytes = Uint8Array.from(run.slice(1).split('%'), (hex) => Number.parseInt(hex, 16));
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch {
      return run;
    }
  });
}

function needsQuotes(id: string, position: IdPosition): boolean {
  if (readsAsStructure(id.split(':'), position)) return true;
  const inner = stripQuotes(id);
  return inner !== id && addQuotes(inner) === id && needsQuotes(inner, position);
}

function readsAsStructure(tokens: string[], position: IdPosition): boolean {
  return tokens.some((token, index) => {
    const isLast = tokens.slice(index + 1).every((later) => later === '') && index >= tokens.length - 2;
    if (isLast) return index > 0 && position.wordsAtEnd?.has(token) === true;
    return (index > 0 || !position.firstIsFree) && position.words.has(token);
  });
}

function addQuotes(id: string): string {
  return id.replaceAll('%', '%25').replaceAll(':', '%3a');
}

function stripQuotes(written: string): string {
  return written.replace(/%(?:25|3a)/g, (mark) => (mark === '%25' ? '%' : ':'));
}
