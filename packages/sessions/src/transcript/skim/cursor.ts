import { isUtf8 } from 'node:buffer';
import { MAX_REMEMBERED, RecentStrings } from './recent-strings.ts';

export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
export const MINUS = 0x2d;
export const LOWER_U = 0x75;
const SPACE = 0x20;

/** Thrown where a line is not plain enough for the quick way; JSON.parse then decides. Never leaves the skimmer. */
export const UNUSUAL = new Error('unusual line');

/** How far to look for the end of a string byte by byte before going by words: most keys end within. */
const NEAR = 12;

const ESCAPABLE = new Uint8Array(128);
for (const char of '"\\/bfnrt') ESCAPABLE[char.charCodeAt(0)] = 1;

const EVERY_BYTE = 0x01010101;
const TOP_BITS = 0x80808080;

/**
 * Finds the ends of JSON's strings, numbers and literals in bytes, checking them. All positions are positions in
 * `bytes`. Long strings are gone through four bytes at a time: they are most of a transcript.
 */
export class JsonCursor {
  protected bytes: Buffer = Buffer.alloc(0);
  /** The same memory as words. */
  protected words: Int32Array = new Int32Array(0);
  /** The line being looked at ends here. */
  protected end = 0;
  /** Of the string just passed: how many units shorter it is when its escapes are decoded. */
  protected escaped = 0;
  /**
   * Of the string just passed: its bytes or-ed, perhaps with a few of its neighbours. No top bit is set where it is
   * ASCII.
   */
  protected bits = 0;
  readonly #recent = new RecentStrings();
  #copy = Buffer.allocUnsafeSlow(0);

  /**
   * Makes `bytes` what is looked at. Where they do not begin on a word, a copy that does; then positions are moved
   * by the returned amount.
   */
  protected adopt(bytes: Buffer, start: number, end: number): number {
    if ((bytes.byteOffset & 3) === 0) {
      if (bytes !== this.bytes) this.#use(bytes);
      return 0;
    }
    if (this.#copy.length < end - start) this.#copy = Buffer.allocUnsafeSlow((end - start + 1024) & ~3);
    bytes.copy(this.#copy, 0, start, end);
    if (this.bytes !== this.#copy) this.#use(this.#copy);
    return -start;
  }

  #use(bytes: Buffer): void {
    this.bytes = bytes;
    this.words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
  }

  protected space(at: number): number {
    const bytes = this.bytes;
    while (bytes[at] === SPACE) at++;
    return at;
  }

  /** From after the opening quote to the closing one. */
  protected string(at: number): number {
    const bytes = this.bytes;
    const near = Math.min(at + NEAR, this.end);
    let bits = 0;
    for (; at < near; at++) {
      const c = bytes[at]!;
      if (c === QUOTE) {
        this.escaped = 0;
        this.bits = bits;
        return at;
      }
      if (c === BACKSLASH || c < SPACE) break;
      bits |= c;
    }
    return this.#longString(at, bits);
  }

  #longString(at: number, bits: number): number {
    const { bytes, words, end } = this;
    const lastWord = Math.min(end >> 2, words.length - 1);
    let escaped = 0;
    for (;;) {
      let word = at >> 2;
      if (word > lastWord) throw UNUSUAL;
      // What stands before `at` in its word is made harmless.
      const passed = ~(-1 << ((at & 3) << 3));
      let four = (words[word]! & ~passed) | (0x61616161 & passed);
      let found: number;
      for (;;) {
        const flipped = four ^ 0x02020202;
        const backslashes = four ^ 0x5c5c5c5c;
        // Flipping one bit brings the quote below 0x21, where control bytes are and stay. Each term has a byte's
        // top bit set where the byte is one of them, or a backslash. Bytes above such a one may be marked wrongly,
        // the lowest is not.
        found =
          (((flipped - 0x21212121) & ~flipped) | ((backslashes - 0x01010101) & ~backslashes)) & 0x80808080;
        bits |= four;
        if (found !== 0) break;
        if (++word > lastWord) throw UNUSUAL;
        four = words[word]!;
      }
      at = (word << 2) + ((31 - Math.clz32(found & -found)) >> 3);
      if (at >= end) throw UNUSUAL;
      const c = bytes[at]!;
      if (c === QUOTE) {
        this.escaped = escaped;
        this.bits = bits;
        return at;
      }
      if (c !== BACKSLASH) throw UNUSUAL;
      const escapedBy = bytes[at + 1]!;
      if (escapedBy < 128 && ESCAPABLE[escapedBy] === 1) {
        escaped++;
        at += 2;
      } else {
        if (escapedBy !== LOWER_U || !this.#isHex(at + 2)) throw UNUSUAL;
        escaped += 5;
        at += 6;
      }
    }
  }

  #isHex(at: number): boolean {
    for (let i = at; i < at + 4; i++) {
      const c = this.bytes[i]!;
      const digit = (c >= 0x30 && c <= 0x39) || (c >= 0x41 && c <= 0x46) || (c >= 0x61 && c <= 0x66);
      if (!digit) return false;
    }
    return true;
  }

  /** The decoded length of the string just passed. */
  protected length(start: number, end: number): number {
    if ((this.bits & TOP_BITS) === 0) return end - start - this.escaped;
    if (!isUtf8(this.bytes.subarray(start, end))) {
      return this.bytes.toString('utf8', start, end).length - this.escaped;
    }
    return end - start - this.#surplus(start, end) - this.escaped;
  }

  /**
   * How many bytes more than UTF-16 units: a byte for each continuation, one less for each character of four bytes.
   */
  #surplus(start: number, end: number): number {
    const { bytes, words } = this;
    let surplus = 0;
    let at = start;
    for (; at < end && (at & 3) !== 0; at++) surplus += surplusOf(bytes[at]!);
    const lastWord = end >> 2;
    let word = at >> 2;
    for (; word < lastWord; word++) {
      const four = words[word]!;
      if ((four & TOP_BITS) === 0) continue;
      const continuations = (four >>> 7) & ~(four >>> 6) & EVERY_BYTE;
      const fourByteLeads = (four >>> 7) & (four >>> 6) & (four >>> 5) & (four >>> 4) & EVERY_BYTE;
      surplus +=
        (Math.imul(continuations, EVERY_BYTE) >>> 24) - (Math.imul(fourByteLeads, EVERY_BYTE) >>> 24);
    }
    for (at = Math.max(at, word << 2); at < end; at++) surplus += surplusOf(bytes[at]!);
    return surplus;
  }

  /** The string just passed, as a string of its own. */
  protected decode(start: number, end: number): string {
    if (this.escaped > 0) return JSON.parse(`"${this.bytes.toString('utf8', start, end)}"`) as string;
    if ((this.bits & TOP_BITS) !== 0) return this.bytes.toString('utf8', start, end);
    if (end - start <= MAX_REMEMBERED) return this.#recent.take(this.bytes, start, end);
    return this.bytes.toString('latin1', start, end);
  }

  /** Whether the string just passed stands in `bytes` as it is. */
  protected get isPlain(): boolean {
    return this.escaped === 0 && (this.bits & TOP_BITS) === 0;
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
    for (let i = 0; i < word.length; i++) {
      if (this.bytes[at + i] !== word.charCodeAt(i)) throw UNUSUAL;
    }
    return at + word.length;
  }
}

function surplusOf(byte: number): number {
  if ((byte & 0xc0) === 0x80) return 1;
  return byte >= 0xf0 ? -1 : 0;
}
