const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LOWER_U = 0x75;
const SPACE = 0x20;
/** No JSON has it. */
const BAD = 0x01;
const ESCAPABLE = new Set(Buffer.from('"\\/bfnrtu'));
const DIGITS = new Set(Buffer.from('0123456789abcdefABCDEF'));
/** The letter of an escape is to come; otherwise so many digits. */
const LETTER = -1;

/** Of a longer string the rest is left out: this is many times what callers show of one. */
export const KEPT_STRING_BYTES = 64 * 1024;

/**
 * Copies a line of JSON as it comes, of its long strings the beginnings alone. The copy has the same members, and is broken
 * where the line is.
 */
export class LongStrings {
  #isInside = false;
  #isLeavingOut = false;
  #kept = 0;
  #escape = 0;

  /** @returns where the copy ends. It may go to where the line comes from: it is never ahead of that. */
  copy(from: Buffer, start: number, end: number, to: Buffer, at: number): number {
    let next = at;
    for (let i = start; i < end; i++) {
      if (this.#isLeavingOut && this.#escape === 0) i = skipPlain(from, i, end);
      if (i === end) break;
      const byte = from[i]!;
      const copied = this.#isInside ? this.#takeInside(byte) : this.#takeOutside(byte);
      if (copied >= 0) to[next++] = copied;
    }
    return next;
  }

  #takeOutside(byte: number): number {
    if (byte === QUOTE) {
      this.#isInside = true;
      this.#kept = 0;
    }
    return byte;
  }

  /** Negative for what is left out. */
  #takeInside(byte: number): number {
    if (this.#escape !== 0) return this.#takeEscaped(byte);
    if (byte === QUOTE) {
      this.#isInside = false;
      this.#isLeavingOut = false;
      return byte;
    }
    // Not inside of a character.
    if (this.#kept >= KEPT_STRING_BYTES && (byte & 0xc0) !== 0x80) this.#isLeavingOut = true;
    if (byte === BACKSLASH) this.#escape = LETTER;
    return this.#keep(byte, byte >= SPACE);
  }

  #takeEscaped(byte: number): number {
    const isSound = this.#escape === LETTER ? ESCAPABLE.has(byte) : DIGITS.has(byte);
    if (this.#escape === LETTER) this.#escape = byte === LOWER_U ? 4 : 0;
    else this.#escape--;
    return this.#keep(byte, isSound);
  }

  #keep(byte: number, isSound: boolean): number {
    if (this.#isLeavingOut) return isSound ? -1 : BAD;
    this.#kept++;
    return byte;
  }
}

/** Where something comes that is not simply one more byte of a string. */
function skipPlain(bytes: Buffer, start: number, end: number): number {
  let at = start;
  for (; at < end; at++) {
    const byte = bytes[at]!;
    if (byte === QUOTE || byte === BACKSLASH || byte < SPACE) break;
  }
  return at;
}
