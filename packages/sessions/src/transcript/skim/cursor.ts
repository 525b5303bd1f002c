import { isAscii } from 'node:buffer';
import { MAX_REMEMBERED, RecentStrings } from './recent-strings.ts';

export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
export const MINUS = 0x2d;
export const LOWER_U = 0x75;
const SPACE = 0x20;

/** Thrown where a line is not plain enough for the quick way; JSON.parse then decides. Never leaves the skimmer. */
export const UNUSUAL = new Error('unusual line');

/** How far to look for the end of a string byte by byte before searching: keys, ids and times end within. */
const NEAR = 40;

/** How far to look byte by byte after an escaped quote. */
const GROUP = 16;

/** Further than any position: no backslash is left in the window. */
const NONE = Number.MAX_SAFE_INTEGER;

const ESCAPABLE = new Uint8Array(128);
for (const char of '"\\/bfnrt') ESCAPABLE[char.charCodeAt(0)] = 1;

/**
 * Finds the ends of JSON's strings, numbers and literals in bytes, checking them. All positions are positions in `bytes`.
 */
export class JsonCursor {
  protected bytes: Buffer = Buffer.alloc(0);
  /** The same memory four bytes at a time, where it begins on such a boundary. */
  protected words: Int32Array | undefined;
  /** A window of `bytes` as Latin-1: one character a byte, so that positions agree and indexOf is a memchr. */
  protected text = '';
  protected base = 0;
  protected windowEnd = 0;
  protected asciiWindow = true;
  /** The line being looked at ends here, and whether it is ASCII. */
  protected end = 0;
  protected ascii = true;
  /** The next backslash at or after the last place looked at, or NONE. */
  protected backslash = 0;
  /** How many units shorter the string just passed is when its escapes are decoded. */
  protected escaped = 0;
  protected readonly recent = new RecentStrings();

  protected adopt(bytes: Buffer): void {
    this.bytes = bytes;
    this.windowEnd = 0;
    this.words =
      (bytes.byteOffset & 3) === 0
        ? new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2)
        : undefined;
  }

  protected open(from: number, to: number): void {
    const bytes = this.bytes;
    this.base = from;
    this.windowEnd = to;
    this.text = bytes.toString('latin1', from, to);
    this.asciiWindow = isAscii(bytes.subarray(from, to));
    this.backslash = this.#findBackslash(from);
  }

  protected space(at: number): number {
    const bytes = this.bytes;
    while (bytes[at] === SPACE) at++;
    return at;
  }

  #findBackslash(from: number): number {
    const found = this.text.indexOf('\\', from - this.base);
    return found < 0 ? NONE : found + this.base;
  }

  /** From after the opening quote to the closing one, leaving in #escaped what escapes add to the length. */
  protected string(at: number): number {
    const bytes = this.bytes;
    // Keys and ids are short: going byte by byte is cheaper there than a search.
    const near = at + NEAR;
    for (let i = at; i < near; i++) {
      const c = bytes[i];
      if (c === QUOTE) {
        if (i >= this.end) throw UNUSUAL;
        this.escaped = 0;
        return i;
      }
      if (c === BACKSLASH) break;
    }
    return this.#longString(at);
  }

  #longString(at: number): number {
    const bytes = this.bytes;
    const text = this.text;
    const base = this.base;
    let escaped = 0;
    let backslash = this.backslash < at ? this.#findBackslash(at) : this.backslash;
    let quote = text.indexOf('"', at - base) + base;
    if (quote < base) throw UNUSUAL;
    while (backslash < quote) {
      const escapedBy = bytes[backslash + 1]!;
      at = backslash + 2;
      if (escapedBy === QUOTE) {
        escaped++;
        // Quotes come in groups: look around before searching twice.
        const stop = at + GROUP;
        while (at < stop && bytes[at] !== BACKSLASH && bytes[at] !== QUOTE) at++;
        if (at < stop && bytes[at] === BACKSLASH) {
          backslash = at;
          // Whatever the quote is, it is not before this backslash.
          quote = NONE;
          continue;
        }
        quote = at < stop ? at : NONE;
      } else if (escapedBy < 128 && ESCAPABLE[escapedBy] === 1) escaped++;
      else {
        if (escapedBy !== LOWER_U || !this.#isHex(at)) throw UNUSUAL;
        escaped += 5;
        at += 4;
      }
      if (bytes[at] === BACKSLASH) backslash = at;
      else {
        backslash = text.indexOf('\\', at - base) + base;
        if (backslash < base) backslash = NONE;
      }
      if (quote === NONE) {
        quote = text.indexOf('"', at - base) + base;
        if (quote < base) throw UNUSUAL;
      }
    }
    this.backslash = backslash;
    if (quote >= this.end) throw UNUSUAL;
    this.escaped = escaped;
    return quote;
  }

  #isHex(at: number): boolean {
    for (let i = at; i < at + 4; i++) {
      const c = this.bytes[i]!;
      const digit = (c >= 0x30 && c <= 0x39) || (c >= 0x41 && c <= 0x46) || (c >= 0x61 && c <= 0x66);
      if (!digit || i >= this.end) return false;
    }
    return true;
  }

  /** The decoded length of the string just passed by #string. */
  protected length(start: number, end: number): number {
    if (this.ascii) return end - start - this.escaped;
    return this.bytes.toString('utf8', start, end).length - this.escaped;
  }

  /** The string just passed by #string, as a string of its own that keeps no line alive. */
  protected decode(start: number, end: number): string {
    if (this.escaped > 0) return JSON.parse(`"${this.bytes.toString('utf8', start, end)}"`) as string;
    if (!this.ascii) return this.bytes.toString('utf8', start, end);
    if (end - start <= MAX_REMEMBERED) return this.recent.take(this.bytes, start, end);
    return this.bytes.toString('latin1', start, end);
  }

  /** Where at least `units` UTF-16 units of a raw string end, never inside an escape or a character. */
  protected unitsFrom(start: number, end: number, units: number): number {
    const bytes = this.bytes;
    let at = start;
    for (let count = 0; count < units && at < end; count++) {
      const c = bytes[at]!;
      if (c === BACKSLASH) at += bytes[at + 1] === LOWER_U ? 6 : 2;
      else if (c < 0xc0) at += 1;
      else at += c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
    }
    return Math.min(at, end);
  }

  protected number(start: number, end: number): number {
    if (end - start <= 9) {
      let value = 0;
      let at = start;
      for (; at < end; at++) {
        const digit = this.bytes[at]! - 0x30;
        if (digit < 0 || digit > 9) break;
        value = value * 10 + digit;
      }
      if (at === end) return value;
    }
    return Number(this.bytes.toString('latin1', start, end));
  }

  /** From the first byte of a number or literal to after its last, checked against JSON's grammar. */
  protected scalarEnd(at: number): number {
    const bytes = this.bytes;
    switch (bytes[at]) {
      case 0x74:
        return this.#literal(at, 'true');
      case 0x66:
        return this.#literal(at, 'false');
      case 0x6e:
        return this.#literal(at, 'null');
    }
    if (bytes[at] === MINUS) at++;
    if (bytes[at] === 0x30) at++;
    else at = this.#digits(at);
    if (bytes[at] === 0x2e) at = this.#digits(at + 1);
    if (bytes[at] === 0x65 || bytes[at] === 0x45) {
      at++;
      if (bytes[at] === 0x2b || bytes[at] === MINUS) at++;
      at = this.#digits(at);
    }
    return at;
  }

  #digits(at: number): number {
    const start = at;
    const bytes = this.bytes;
    while (bytes[at]! >= 0x30 && bytes[at]! <= 0x39) at++;
    if (at === start) throw UNUSUAL;
    return at;
  }

  #literal(at: number, word: string): number {
    if (!this.text.startsWith(word, at - this.base)) throw UNUSUAL;
    return at + word.length;
  }
}
