import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { reportProgress } from '@openbot/sessions';
import { type FigureSearch, findFirstWords } from '@openbot/sessions/lines';
import type { FindingStorage, SessionEnds } from '../contract/finding.ts';
import { parseObject } from './transcript-head.ts';

/** Most first messages are in the first step; the last step is only for a message that is longer than the others. */
const HEAD_STEPS = [4 * 1024, 64 * 1024, 1024 * 1024];
/** Most runs end with a message that has a figure and is in the first step. */
const TAIL_STEPS = [8 * 1024, 128 * 1024];
const LINE_FEED = 0x0a;

/** The ends of transcripts in files. A bounded part of each is read, never the whole of a large one. */
export function readEndsOfFiles(search: FigureSearch): FindingStorage['readEnds'] {
  return (sessions) =>
    new Map(
      sessions.map((session, at) => {
        reportProgress({ share: at / sessions.length });
        return [session, readEnds(session.path, search)];
      }),
    );
}

function readEnds(path: string, search: FigureSearch): SessionEnds {
  try {
    // A pipe in the place of a file is not waited for.
    const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const { size } = fstatSync(fd);
      return { firstWords: readFirstWords(fd, size), figure: readFigure(fd, size, search) };
    } finally {
      closeSync(fd);
    }
  } catch {
    return {};
  }
}

function readFirstWords(fd: number, size: number): string | undefined {
  for (const step of HEAD_STEPS) {
    const bytes = readPart(fd, 0, Math.min(step, size));
    const words = findFirstWords(parseForwards(bytes, bytes.length === size));
    if (words !== undefined || bytes.length === size) return words;
    const isNext =
      step === HEAD_STEPS[0] || bytes.includes('"role":"user"', bytes.lastIndexOf(LINE_FEED) + 1);
    if (!isNext) return undefined;
  }
  return undefined;
}

function readFigure(fd: number, size: number, search: FigureSearch): SessionEnds['figure'] {
  for (const step of TAIL_STEPS) {
    const from = Math.max(0, size - step);
    const lines = new LinesBackwards(readPart(fd, from, size), from === 0);
    const figure = search(lines);
    if (figure !== undefined || !lines.ranOut) return figure;
  }
  return undefined;
}

function readPart(fd: number, from: number, to: number): Buffer {
  const bytes = Buffer.allocUnsafe(to - from);
  let filled = 0;
  for (let count = -1; filled < bytes.length && count !== 0; filled += count) {
    count = readSync(fd, bytes, filled, bytes.length - filled, from + filled);
  }
  return bytes.subarray(0, filled);
}

/** @param isWhole the bytes end where the file ends, so that the last line is complete */
function* parseForwards(bytes: Buffer, isWhole: boolean): Generator<unknown> {
  for (let at = 0; at < bytes.length; ) {
    const found = bytes.indexOf(LINE_FEED, at);
    if (found < 0 && !isWhole) return;
    const end = found < 0 ? bytes.length : found;
    yield parseObject(bytes.toString('utf8', at, end));
    at = end + 1;
  }
}

/** The lines in the last bytes of a file, the last one first. */
class LinesBackwards implements Iterable<unknown> {
  /** There are lines before these, which were asked for. */
  ranOut = false;
  readonly #bytes: Buffer;
  readonly #isWhole: boolean;

  /** @param isWhole the bytes are the whole file, so that the first line is complete */
  constructor(bytes: Buffer, isWhole: boolean) {
    this.#bytes = bytes;
    this.#isWhole = isWhole;
  }

  *[Symbol.iterator](): Generator<unknown> {
    for (let end = this.#bytes.length; end > 0; ) {
      const start = this.#bytes.lastIndexOf(LINE_FEED, end - 1) + 1;
      if (start === 0 && !this.#isWhole) break;
      if (start < end) yield parseObject(this.#bytes.toString('utf8', start, end));
      end = start - 1;
    }
    this.ranOut = !this.#isWhole;
  }
}
