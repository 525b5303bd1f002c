import { open } from 'node:fs/promises';
import type { Transcript } from '@openbot/sessions';
import { type LineCopier, SourceChanged } from '@openbot/sessions/rewrite';
import type { OriginOf } from '../contract/rewriting.ts';
import type { Stretch } from './later-bytes.ts';

/** A stretch, and where it begins in what is written. */
export interface Piece extends Stretch {
  readonly at: number;
  /** A line end comes before it that neither stretch has. */
  readonly isApart: boolean;
  /** What is written in the place of the stretch: a line that comes in another form. */
  readonly line?: Buffer;
}

/** A line of what was said since that comes in another form. */
export interface ChangedLine {
  readonly stretch: Stretch;
  readonly start: number;
  readonly end: number;
  readonly line: Buffer;
}

/** A backup and what was said since, each stretch in its place. */
export async function layOutRestored(
  whole: Stretch,
  said: readonly Stretch[],
  changed: ChangedLine | undefined,
): Promise<Piece[]> {
  const pieces: Piece[] = [];
  let at = 0;
  const add = async (stretch: Stretch, line?: Buffer) => {
    const last = pieces.at(-1);
    const isApart = last !== undefined && (await areApart(last, stretch));
    if (isApart) at++;
    pieces.push({ ...stretch, at, isApart, ...(line !== undefined && { line }) });
    at += line?.length ?? stretch.end - stretch.start;
  };
  for (const stretch of orderStretches(whole, said)) {
    if (changed?.stretch !== stretch) await add(stretch);
    else {
      const { start, end, line } = changed;
      if (stretch.start < start) await add({ ...stretch, end: start });
      await add({ ...stretch, start, end }, line);
      if (end < stretch.end) await add({ ...stretch, start: end });
    }
  }
  return pieces;
}

export async function writePieces(target: Pick<LineCopier, 'put'>, pieces: readonly Piece[]): Promise<void> {
  for (const piece of pieces) {
    if (piece.isApart) await target.put(Buffer.from('\n'));
    if (piece.line === undefined) await copyStretch(target, piece);
    else await target.put(piece.line);
  }
}

/** The backup, cut where something was said in between. */
function orderStretches(whole: Stretch, said: readonly Stretch[]): Stretch[] {
  const ordered: Stretch[] = [];
  let { start } = whole;
  for (const stretch of said.toSorted((a, b) => placeOf(a) - placeOf(b))) {
    const end = Math.min(placeOf(stretch), whole.end);
    if (start < end) ordered.push({ ...whole, start, end });
    start = Math.max(start, end);
    ordered.push(stretch);
  }
  return start < whole.end || ordered.length === 0 ? [...ordered, { ...whole, start }] : ordered;
}

function placeOf({ before }: Stretch): number {
  return before ?? Number.POSITIVE_INFINITY;
}

/** Whether a line was not taken from the backup. */
export function isLaterLine(
  written: Transcript,
  index: number,
  pieces: readonly Piece[],
  whole: Stretch,
): boolean {
  return pieceAt(pieces, written.startOf(index)).path !== whole.path;
}

function pieceAt(pieces: readonly Piece[], offset: number): Piece {
  return pieces.findLast(({ at }) => at <= offset)!;
}

export function originOfLines(
  written: Pick<Transcript, 'startOf'>,
  pieces: readonly Piece[],
  origins: ReadonlyMap<string, Transcript>,
): OriginOf {
  return (index) => {
    const start = written.startOf(index);
    const piece = pieceAt(pieces, start);
    const transcript = origins.get(piece.path)!;
    const line = findLineAt(transcript, piece.start + start - piece.at);
    return line === undefined ? undefined : { transcript, index: line };
  };
}

/** The line that begins at an offset; undefined in the middle of one. */
function findLineAt(transcript: Transcript, offset: number): number | undefined {
  let low = 0;
  let high = transcript.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const start = transcript.startOf(middle);
    if (start === offset) return middle;
    if (start < offset) low = middle + 1;
    else high = middle - 1;
  }
  return undefined;
}

/** Whether a line end is missing between the two. What follows may also be the rest of a line that was begun before. */
async function areApart(one: Stretch, next: Stretch): Promise<boolean> {
  if (await isLineStart(one.path, one.end)) return false;
  return (await isLineStart(next.path, next.start)) && (await byteAt(next.path, next.start)) !== LINE_FEED;
}

async function isLineStart(path: string, at: number): Promise<boolean> {
  return at === 0 || (await byteAt(path, at - 1)) === LINE_FEED;
}

const LINE_FEED = 0x0a;
const CHUNK = 256 * 1024;

async function copyStretch(copier: Pick<LineCopier, 'put'>, { path, start, end }: Stretch): Promise<void> {
  const file = await open(path, 'r');
  try {
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK, end - start));
    for (let at = start; at < end; ) {
      const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, end - at), at);
      if (bytesRead === 0) throw new SourceChanged(`${path} became shorter while it was read`);
      await copier.put(buffer.subarray(0, bytesRead));
      at += bytesRead;
    }
  } finally {
    await file.close();
  }
}

async function byteAt(path: string, at: number): Promise<number> {
  const file = await open(path, 'r');
  try {
    const buffer = Buffer.alloc(1);
    await file.read(buffer, 0, 1, at);
    return buffer[0]!;
  } finally {
    await file.close();
  }
}
