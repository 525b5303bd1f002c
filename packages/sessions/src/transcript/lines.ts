import { LongStrings } from './long-strings.ts';

/** A longer line is carried, but not looked into. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** From here on it is worth while to leave out the rest of long strings. */
const LONG_LINE_BYTES = 1024 * 1024;

export const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

export interface LineSink {
  /**
   * One line, without its line end. Read it before returning: the memory is used again.
   * @param offset where the line begins in the file
   * @param terminated false for a last line without a line end
   */
  line(bytes: Buffer, start: number, end: number, offset: number, terminated: boolean): void;
  /**
   * Takes whole lines with their line ends, as many as it likes.
   * @param offset where `start` is in the file
   * @returns behind the last of them
   */
  lines?(bytes: Buffer, start: number, end: number, offset: number): number;
  /** Takes blank lines that follow each other, each with its line end. Without it each is a line of its own. */
  blanks?(bytes: Buffer, start: number, end: number, offset: number): void;
  /** A line of more than the allowed bytes, also without the rest of its long strings: only its place is known. */
  oversize(offset: number, endOffset: number, terminated: boolean): void;
}

/**
 * Finds lines in chunks of bytes. Only a line feed ends a line (U+2028 and its like are bytes of a character), a
 * carriage return before it belongs to the line end, and a byte order mark at the very beginning belongs to no
 * line. Holds the beginning of one line at most.
 */
export class LineSplitter {
  readonly #sink: LineSink;
  readonly #maxLine: number;
  /** The beginning of a line whose end has not been seen. */
  #carry: Buffer = Buffer.alloc(0);
  #carryLength = 0;
  /** Where that is in the file. */
  #carryFrom = 0;
  /** Where what is carried has no long strings any more. */
  #cutting: LongStrings | undefined;
  readonly #cutsStrings: boolean;
  /** Inside a line that is too long: where it began. */
  #oversizeFrom = -1;
  #offset: number;

  /**
   * @param from where the first chunk begins in the file: the beginning of a line
   * @param cutsStrings of lines above a megabyte long strings are cut, so that a line of any length takes little memory
   */
  constructor(sink: LineSink, maxLineBytes: number = MAX_LINE_BYTES, from = 0, cutsStrings = false) {
    this.#sink = sink;
    this.#maxLine = maxLineBytes;
    this.#offset = from;
    this.#cutsStrings = cutsStrings;
  }

  /** Where in the file what was split so far ends. */
  get offset(): number {
    return this.#offset;
  }

  /** Behind the last line end: where the line begins that comes next, or has come in part. */
  get lineStart(): number {
    if (this.#oversizeFrom >= 0) return this.#oversizeFrom;
    return this.#carryLength > 0 ? this.#carryFrom : this.#offset;
  }

  /** The first `count` bytes of `chunk` follow what was pushed before. */
  push(chunk: Buffer, count = chunk.length): void {
    const base = this.#offset;
    let at = 0;
    if (this.#carryLength > 0 || this.#oversizeFrom >= 0) {
      const end = indexOfLineFeed(chunk, 0, count);
      this.#keep(chunk, 0, end < 0 ? count : end);
      if (end >= 0) {
        this.#offset = base + end;
        this.#emitCarry(true);
        at = end + 1;
      } else at = count;
    }
    while (at < count) {
      // The first line may begin with a byte order mark.
      if (this.#sink.lines !== undefined && base + at > 0 && this.#maxLine >= LONG_LINE_BYTES) {
        at = this.#sink.lines(chunk, at, count, base + at);
        if (at === count) break;
      }
      const end = indexOfLineFeed(chunk, at, count);
      if (end < 0) {
        this.#offset = base + at;
        this.#keep(chunk, at, count);
        break;
      }
      const behind =
        base + at > 0 && this.#sink.blanks !== undefined ? behindBlankLines(chunk, at, count) : at;
      if (behind > end + 1) {
        this.#sink.blanks!(chunk, at, behind, base + at);
        at = behind;
      } else {
        this.#emit(chunk, at, end, base + at, true);
        at = end + 1;
      }
    }
    this.#offset = base + count;
  }

  /** There is no more: what has no line end is a line too. */
  finish(): void {
    if (this.#carryLength > 0 || this.#oversizeFrom >= 0) this.#emitCarry(false);
  }

  #emitCarry(terminated: boolean): void {
    const length = this.#carryLength;
    this.#carryLength = 0;
    this.#cutting = undefined;
    if (this.#oversizeFrom >= 0) {
      this.#sink.oversize(this.#oversizeFrom, this.#offset, terminated);
      this.#oversizeFrom = -1;
      return;
    }
    this.#emit(this.#carry, 0, length, this.#carryFrom, terminated);
    // One huge line must not cost its memory for the rest of the file.
    if (this.#carry.length > 4 * 1024 * 1024) this.#carry = Buffer.alloc(0);
  }

  #emit(bytes: Buffer, start: number, end: number, offset: number, terminated: boolean): void {
    if (offset === 0 && bytes[start] === 0xef && bytes[start + 1] === 0xbb && bytes[start + 2] === 0xbf) {
      start += 3;
      offset += 3;
    }
    const bare = terminated ? bareEnd(bytes, start, end) : end;
    if (bare - start > this.#maxLine) {
      this.#sink.oversize(offset, offset + end - start, terminated);
      return;
    }
    this.#sink.line(bytes, start, bare, offset, terminated);
  }

  /** Remembers more of a line; when it grows too long, only where it began. */
  #keep(bytes: Buffer, from: number, to: number): void {
    if (this.#oversizeFrom >= 0) return;
    if (this.#carryLength === 0) this.#carryFrom = this.#offset;
    const count = to - from;
    if (this.#cutsStrings && this.#carryLength + count > LONG_LINE_BYTES) this.#cutCarry();
    // A byte order mark and a carriage return do not count.
    if (this.#carryLength + count > this.#maxLine + 4) {
      this.#oversizeFrom = this.#carryFrom;
      this.#carry = Buffer.alloc(0);
      this.#carryLength = 0;
      return;
    }
    this.#makeRoom(this.#carryLength + count);
    if (this.#cutting === undefined) {
      bytes.copy(this.#carry, this.#carryLength, from, to);
      this.#carryLength += count;
    } else this.#carryLength = this.#cutting.copy(bytes, from, to, this.#carry, this.#carryLength);
  }

  #cutCarry(): void {
    if (this.#cutting !== undefined) return;
    this.#cutting = new LongStrings();
    this.#carryLength = this.#cutting.copy(this.#carry, 0, this.#carryLength, this.#carry, 0);
  }

  #makeRoom(length: number): void {
    if (this.#carry.length >= length) return;
    const grown = Buffer.allocUnsafeSlow(
      wholeWords(Math.max(length, Math.min(length * 2, this.#maxLine + 4))),
    );
    this.#carry.copy(grown, 0, 0, this.#carryLength);
    this.#carry = grown;
  }
}

/** Buffer.indexOf has no upper bound: what lies beyond `limit` is not ours. */
function indexOfLineFeed(bytes: Buffer, from: number, limit: number): number {
  const found = bytes.indexOf(LINE_FEED, from);
  return found < limit ? found : -1;
}

/** Behind the last of the blank lines from one on; `start` where it is not blank. */
function behindBlankLines(bytes: Buffer, start: number, limit: number): number {
  let behind = start;
  for (let at = start; at < limit; at++) {
    const c = bytes[at];
    if (c === LINE_FEED) behind = at + 1;
    else if (!isBlankByte(c)) break;
  }
  return behind;
}

/** Where a line ends without its line end, by the place of its line feed. */
export function bareEnd(bytes: Buffer, start: number, lineFeed: number): number {
  return lineFeed > start && bytes[lineFeed - 1] === CARRIAGE_RETURN ? lineFeed - 1 : lineFeed;
}

/** Lines are looked at four bytes at a time. */
function wholeWords(length: number): number {
  return (length + 3) & ~3;
}

/** Whether there is nothing in a line. */
export function isBlank(bytes: Buffer, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (!isBlankByte(bytes[i])) return false;
  return true;
}

function isBlankByte(c: number | undefined): boolean {
  return c === 0x20 || c === 0x09 || c === CARRIAGE_RETURN;
}
