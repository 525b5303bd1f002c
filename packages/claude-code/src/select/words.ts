import { shorten } from '@openbot/sessions/terminal-text';
import { hideSecrets } from '../scan/hide-secrets.ts';
import type { Relevance } from './selection.ts';
import type { SessionText } from './session-texts.ts';
import { GRAMMAR_PAIR, STOP_WORDS } from './stop-words.ts';

/** Scripts without spaces between words: pairs of characters are used as words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]+/gu;
/** Comparing words must not take longer than the model that it replaces. */
const TEXT_LIMIT = 20_000;
const SHOWN_WORDS = 5;
/** A word of this length with digits may be an unrecognised key. It counts, but is not shown. */
const KEY = /^(?=.*\d).{16,}$/su;

/**
 * The significant words of a text: case folded, identifiers and paths split, plurals as singulars, without stop words.
 * A text of only stop words keeps them.
 */
export function wordsOf(text: string): Set<string> {
  const all = listWords(text.slice(0, TEXT_LIMIT).normalize('NFKC'));
  const telling = all.filter((word) => !FOLDED_STOP_WORDS.has(word) && !GRAMMAR_PAIR.test(word));
  return new Set(telling.length > 0 ? telling : all);
}

/** The size of the intersection divided by that of the union. 0 for two empty sets. */
export function jaccard(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const common = intersect(one, other).length;
  const all = one.size + other.size - common;
  return all === 0 ? 0 : common / all;
}

/**
 * Rates each session by its text that has most in common with the task; older texts count less. Secrets are no words,
 * because common words are shown and logged. Nor are branches, which have a score of their own.
 */
export function compareWords(task: string, sessions: readonly (readonly SessionText[])[]): Relevance[] {
  const wanted = openWordsOf(task);
  return sessions.map((texts) => {
    const compared = texts.map((text) => compareText(wanted, text));
    // Of equals the first, which is the newest text.
    const best = compared.reduce<ComparedText | undefined>(
      (most, one) => (most === undefined || one.score > most.score ? one : most),
      undefined,
    );
    return { score: best?.score ?? 0, reasoning: describeCommon(best), by: 'words' };
  });
}

interface ComparedText {
  readonly score: number;
  readonly common: readonly string[];
  readonly what: string;
}

function compareText(wanted: ReadonlySet<string>, { text, what, weight }: SessionText): ComparedText {
  const words = openWordsOf(text);
  return { score: weight * jaccard(wanted, words), common: intersect(wanted, words), what };
}

function openWordsOf(text: string): Set<string> {
  return wordsOf(hideSecrets(text, TEXT_LIMIT));
}

function describeCommon(compared: ComparedText | undefined): string {
  if (compared === undefined || compared.common.length === 0) return 'no word in common';
  const { common, what } = compared;
  const shown = common.filter((word) => !KEY.test(word)).slice(0, SHOWN_WORDS);
  const named = [...shown.map((word) => shorten(word, 30)), ...(common.length > shown.length ? ['…'] : [])];
  return `in common${what === '' ? '' : ` with ${what}`}: ${named.join(', ')}`;
}

function intersect(one: ReadonlySet<string>, other: ReadonlySet<string>): string[] {
  return [...one].filter((word) => other.has(word));
}

function listWords(text: string): string[] {
  const pairs: string[] = [];
  const spaced = text.replace(UNSPACED, (run) => {
    pairs.push(...pairCharacters([...run]));
    return ' ';
  });
  const identifiers = spaced.match(/[\p{L}\p{N}\p{M}]+(?:['’][\p{L}]+)*/gu) ?? [];
  return [...identifiers.flatMap(splitIdentifier).map(foldWord).filter(isTelling), ...pairs];
}

function pairCharacters(characters: readonly string[]): string[] {
  if (characters.length < 2) return [...characters];
  return characters.slice(1).map((character, at) => `${characters[at]}${character}`);
}

/** `parseHTTPHeader2` gives parse, HTTP and Header2; a single first letter is not split off: `iPhone`, `OAuth`. */
function splitIdentifier(identifier: string): string[] {
  return identifier
    .replace(/(?<=[\p{Ll}\p{N}]{2})(?=\p{Lu})|(?<=\p{Lu}{2})(?=\p{Lu}\p{Ll}{2})/gu, ' ')
    .split(' ');
}

/** Folded as in a text: `does` is folded like a plural. */
const FOLDED_STOP_WORDS: ReadonlySet<string> = new Set(STOP_WORDS.map(foldWord));

/** Empty for `don't` and the like; `session` for `sessions` and `session's`, but `status` and `class` stay. */
function foldWord(word: string): string {
  const folded = (/^\p{Lu}{2,}s$/u.test(word) ? word.slice(0, -1) : word).toLowerCase();
  if (/n['’]t$/.test(folded)) return '';
  const bare = folded.replace(/['’](?:s|re|ve|ll|d|m)$/, '');
  if (/^[a-z]+(?:ss|x|sh|[nrt]ch|[nrt]us)es$/.test(bare)) return bare.slice(0, -2);
  return /^[a-z]{2,}[a-hj-rtv-z]s$/.test(bare) ? bare.slice(0, -1) : bare;
}

/** A single Latin letter is no word; a digit, or a letter of another script, may be one. */
function isTelling(word: string): boolean {
  return word !== '' && !/^[a-z]$/.test(word);
}
