import { printable } from '@openbot/sessions/terminal-text';
import { fromSearchable, HIT_BEGINS, HIT_ENDS } from '../index-db/searchable-text.ts';

export interface Snippet {
  /** On one line, safe to print. `…` stands for what was left out at either end. */
  readonly text: string;
  /** What was found in it: from, to. */
  readonly hits: readonly (readonly [number, number])[];
}

interface Piece {
  readonly text: string;
  readonly isHit: boolean;
}

/** The part of a text that has the most of what was found, at most about `length` characters. */
export function makeSnippet(marked: string, length: number): Snippet {
  const pieces = splitMarks(fromSearchable(marked)).map(({ text, isHit }) => ({
    text: printable(text.replace(/\s+/g, ' ')),
    isHit,
  }));
  const whole = pieces.map(({ text }) => text).join('');
  const hits: [number, number][] = [];
  let at = 0;
  for (const { text, isHit } of pieces) {
    if (isHit && text !== '') hits.push([at, at + text.length]);
    at += text.length;
  }
  const [from, to] = chooseWindow(whole, hits, length);
  const head = from > 0 ? '…' : '';
  const shown = `${head}${whole.slice(from, to).trimEnd()}${to < whole.length ? '…' : ''}`;
  const shift = head.length - from;
  return {
    text: shown,
    hits: hits.flatMap(([a, b]) => (a >= from && b <= to ? [[a + shift, b + shift] as const] : [])),
  };
}

function splitMarks(marked: string): Piece[] {
  return marked.split(HIT_BEGINS).flatMap((piece, index) => {
    if (index === 0) return [{ text: piece, isHit: false }];
    const [hit = '', ...rest] = piece.split(HIT_ENDS);
    return [
      { text: hit, isHit: true },
      { text: rest.join(''), isHit: false },
    ];
  });
}

/** Some words before what was found say what it is about. */
const BEFORE = 0.25;

function chooseWindow(text: string, hits: readonly [number, number][], length: number): [number, number] {
  if (text.length <= length) return [0, text.length];
  let best = 0;
  let most = 0;
  let end = 0;
  for (let first = 0; first < hits.length; first++) {
    while (end < hits.length && hits[end]![1] - hits[first]![0] <= length * (1 - BEFORE)) end++;
    if (end - first > most) [best, most] = [first, end - first];
  }
  const start = Math.max(0, (hits[best]?.[0] ?? 0) - Math.floor(length * BEFORE));
  const from = Math.max(0, Math.min(wordStart(text, start), text.length - length));
  return [onBoundary(text, from), onBoundary(text, wordEnd(text, from + length))];
}

function wordStart(text: string, at: number): number {
  if (at === 0) return 0;
  const space = text.indexOf(' ', at);
  return space >= 0 && space - at < 20 ? space + 1 : at;
}

function wordEnd(text: string, at: number): number {
  if (at >= text.length) return text.length;
  const space = text.lastIndexOf(' ', at);
  return space >= 0 && at - space < 20 ? space : at;
}

/** No surrogate pair is split. */
function onBoundary(text: string, at: number): number {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00 ? at - 1 : at;
}
