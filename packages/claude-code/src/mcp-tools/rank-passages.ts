import { wordsOf } from '../select/words.ts';
import type { MemoryFile } from './memory-files.ts';
import { redactNote } from './redact-note.ts';

/** A stretch of a note that has to do with what is searched. */
export interface Passage {
  readonly file: string;
  /** Where the stretch is, counted from 1; both lines are part of it. */
  readonly line: number;
  readonly endLine: number;
  /** The heading above it. */
  readonly heading: string;
  readonly text: string;
  readonly score: number;
}

interface Stretch extends Omit<Passage, 'score'> {
  /** How new the note is among all: the newest is 0. */
  readonly age: number;
}

const MAX_LINES = 12;
const MAX_CHARACTERS = 2000;

/**
 * Passages that hold words of the query, the best first. A word counts more the fewer passages hold it, and half where
 * only the heading does. Of equals the newer note comes first. Secrets are hidden before anything is cut or compared: a
 * part of one is not recognised, and a search that finds one tells that it is there.
 */
export function rankPassages(files: readonly MemoryFile[], query: string): Passage[] {
  const words = [...wordsOf(query)];
  const stretches = files.flatMap((file, age) => cutIntoStretches(file, age));
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

/** For each word: 1 where the text holds it, one half where only the heading does. */
function weighStretch({ text, heading }: Stretch, words: readonly string[]): number[] {
  // A word that is there stands in the folded text too, whatever it is part of: most stretches need no closer look.
  const folded = foldText(`${heading}\n${text}`);
  if (!words.some((word) => folded.includes(word))) return [];
  const [inText, inHeading] = [wordsOf(text), wordsOf(heading)];
  return words.map((word) => (inText.has(word) ? 1 : inHeading.has(word) ? 0.5 : 0));
}

function foldText(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ');
}

/** Paragraphs; a long one in pieces. */
function cutIntoStretches({ name, text }: MemoryFile, age: number): Stretch[] {
  const stretches: Stretch[] = [];
  let heading = '';
  let start = 0;
  let gathered: string[] = [];
  let size = 0;
  const close = () => {
    if (gathered.length > 0) {
      const [line, endLine] = [start, start + gathered.length - 1];
      stretches.push({ file: name, line, endLine, heading, text: gathered.join('\n'), age });
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

/** What a heading says. One pattern for all of it would take time by the cube of its length. */
function readHeading(line: string): string | undefined {
  if (!/^#{1,6}\s/.test(line)) return undefined;
  const text = line.slice(0, MAX_CHARACTERS).replace(/^#+/, '').trim();
  let end = text.length;
  while (text[end - 1] === '#') end--;
  // Those at the end of a word belong to it: C#.
  return end === 0 || /\s/.test(text[end - 1]!) ? text.slice(0, end).trimEnd() : text;
}
