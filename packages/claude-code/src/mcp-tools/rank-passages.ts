import { redactSecrets } from '@openbot/sessions';
import { wordsOf } from '../select/words.ts';
import type { MemoryFile } from './memory-files.ts';

/** A part of a note. */
export interface NotePassage {
  readonly file: string;
  /** First and last line, counted from 1. */
  readonly line: number;
  readonly endLine: number;
  /** The heading above it. */
  readonly heading: string;
  readonly text: string;
}

/** One that matches the query. */
export interface RankedPassage extends NotePassage {
  readonly score: number;
}

interface Stretch extends NotePassage {
  /** The rank of the note by age: the newest is 0. */
  readonly age: number;
}

const MAX_LINES = 12;
const MAX_CHARACTERS = 2000;

/**
 * Passages that contain words of the query, best first. A word counts more if fewer passages contain it, and half if only
 * the heading does. Newer notes break ties. Secrets are redacted before notes are split and compared: part of a secret is
 * not recognised, and a match would reveal that it exists.
 */
export function rankPassages(files: readonly MemoryFile[], query: string): RankedPassage[] {
  const words = [...wordsOf(query)];
  const stretches = files.flatMap((file, age) => cutNote(file).map((passage) => ({ ...passage, age })));
  const found = stretches.flatMap((stretch) => {
    const shares = weighStretch(stretch, words);
    return shares.some((share) => share > 0) ? [{ stretch, shares }] : [];
  });
  const weights = words.map((_word, at) => {
    const holding = found.filter(({ shares }) => shares[at]! > 0).length;
    return Math.log(1 + stretches.length / (1 + holding));
  });
  const phrase = foldText(query).trim();
  return found
    .map(({ stretch, shares }) => {
      const sum = shares.reduce((total, share, at) => total + share * weights[at]!, 0);
      const isVerbatim = words.length > 1 && foldText(stretch.text).includes(phrase);
      return { stretch, score: isVerbatim ? 2 * sum : sum };
    })
    .sort((one, other) => other.score - one.score || compareStretches(one.stretch, other.stretch))
    .map(({ stretch: { age: _age, ...passage }, score }) => ({
      ...passage,
      score: Math.round(score * 1000) / 1000,
    }));
}

function compareStretches(one: Stretch, other: Stretch): number {
  return one.age - other.age || one.line - other.line;
}

/** For each word: 1 if the text contains it, one half if only the heading does. */
function weighStretch({ text, heading }: Stretch, words: readonly string[]): number[] {
  // A quick check first: most stretches contain none of the words, even as parts of others.
  const folded = foldText(`${heading}\n${text}`);
  if (!words.some((word) => folded.includes(word))) return [];
  const [inText, inHeading] = [wordsOf(text), wordsOf(heading)];
  return words.map((word) => (inText.has(word) ? 1 : inHeading.has(word) ? 0.5 : 0));
}

function foldText(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ');
}

/** A note as paragraphs, long ones in pieces, with its secrets redacted. */
export function cutNote({ name, text }: MemoryFile): NotePassage[] {
  const stretches: NotePassage[] = [];
  let heading = '';
  let start = 0;
  let gathered: string[] = [];
  let size = 0;
  const close = () => {
    if (gathered.length > 0) {
      const [line, endLine] = [start, start + gathered.length - 1];
      stretches.push({ file: name, line, endLine, heading, text: gathered.join('\n') });
    }
    gathered = [];
    size = 0;
  };
  redactNote(text)
    .split(/\r\n|\n|\r/)
    .forEach((content, at) => {
      const title = readHeading(content);
      if (title !== undefined || content.trim() === '') close();
      if (title !== undefined) heading = title;
      if (content.trim() === '') return;
      for (let from = 0; from < content.length; from += MAX_CHARACTERS) {
        const piece = content.slice(from, from + MAX_CHARACTERS);
        if (from > 0 || gathered.length >= MAX_LINES || size + piece.length > MAX_CHARACTERS) close();
        if (gathered.length === 0) start = at + 1;
        gathered.push(piece);
        size += piece.length;
      }
    });
  close();
  return stretches;
}

/** The text of a heading. A single pattern for it would take cubic time. */
function readHeading(line: string): string | undefined {
  if (!/^#{1,6}\s/.test(line)) return undefined;
  const text = line.slice(0, MAX_CHARACTERS).replace(/^#+/, '').trim();
  let end = text.length;
  while (text[end - 1] === '#') end--;
  // A `#` at the end of a word belongs to it: C#.
  return end === 0 || /\s/.test(text[end - 1]!) ? text.slice(0, end).trimEnd() : text;
}

const HIDDEN = '…redacted…';
const KEY_MARK = /-----(BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const LONGEST_KEY = 65_536;
/** The beginning of a line that may belong to a key without an end. */
const KEY_LINE = /^[ \t>]*(?:[A-Za-z0-9+/=]{16}|[A-Z][A-Za-z-]{1,40}: |$)/;

/** Redacts secrets and keeps line numbers. */
function redactNote(text: string): string {
  return redactSecrets(hidePrivateKeys(text));
}

/** Private keys span several lines; each line is replaced on its own. */
function hidePrivateKeys(text: string): string {
  let out = '';
  let copied = 0;
  let begin: number | undefined;
  for (const { 0: mark, 1: kind, index } of text.matchAll(KEY_MARK)) {
    if (begin !== undefined && (kind === 'BEGIN' || index - begin > LONGEST_KEY)) {
      out += text.slice(copied, begin) + hideOpenKey(text.slice(begin, index));
      copied = index;
      begin = undefined;
    }
    if (kind === 'BEGIN') begin = index;
    else if (begin !== undefined) {
      const end = index + mark.length;
      out += text.slice(copied, begin) + hideLines(text.slice(begin, end));
      copied = end;
      begin = undefined;
    }
  }
  if (begin === undefined) return out + text.slice(copied);
  return out + text.slice(copied, begin) + hideOpenKey(text.slice(begin));
}

function hideLines(text: string): string {
  return text.replace(/[^\r\n]+/g, HIDDEN);
}

/** Hides the first line and the following lines that look like a part of the key. */
function hideOpenKey(text: string): string {
  const lines = text.split(/(?<=\r\n|\n|\r(?!\n))/);
  const after = lines.findIndex((line, at) => at > 0 && !KEY_LINE.test(line.replace(/[\r\n]+$/, '')));
  const count = after < 0 ? lines.length : after;
  return hideLines(lines.slice(0, count).join('')) + lines.slice(count).join('');
}
