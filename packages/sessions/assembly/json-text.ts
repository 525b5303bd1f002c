/**
 * Finds the ends of JSON's strings, numbers and literals, checking them. Where a line is not plain enough, `unusual` is
 * set and the position returned means nothing: JSON.parse then decides.
 */

export const QUOTE: i32 = 0x22;
export const BACKSLASH: i32 = 0x5c;
const SPACE: i32 = 0x20;
const MINUS: i32 = 0x2d;
export const LOWER_U: i32 = 0x75;

/** How many characters longer an escape is than the character it encodes, by the letter after the backslash; 0 for none. */
const ESCAPES: usize = memory.data(256);
/** Read from memory and not written here as constants: a baseline compiler would build them anew for each block. */
const QUOTES: usize = memory.data(16, 16);
const BACKSLASHES: usize = memory.data(16, 16);
const SPACES: usize = memory.data(16, 16);
memory.fill(QUOTES, <u8>QUOTE, 16);
memory.fill(BACKSLASHES, <u8>BACKSLASH, 16);
memory.fill(SPACES, <u8>SPACE, 16);
for (let i = 0; i < 8; i++) store<u8>(ESCAPES + <usize>'"\\/bfnrt'.charCodeAt(i), 1);
store<u8>(ESCAPES + <usize>LOWER_U, 5);

export let unusual: bool = false;
/** The line being looked at ends here. */
export let end: usize = 0;
/** Of the string just passed: how many units shorter it is when its escapes are decoded. */
export let escaped: i32 = 0;
/** Of the string just passed: whether a character is beyond ASCII. */
export let isWide: bool = false;

export function begin(lineEnd: usize): void {
  end = lineEnd;
  unusual = false;
}

export function fail(): usize {
  unusual = true;
  return end;
}

export function byteAt(at: usize): i32 {
  return <i32>load<u8>(at);
}

export function passSpaces(at: usize): usize {
  while (byteAt(at) === SPACE) at++;
  return at;
}

/** From after the opening quote to the closing one. */
export function passString(at: usize): usize {
  const sixteen = v128.load(at);
  const found = i8x16.bitmask(
    v128.or(
      v128.or(i8x16.eq(sixteen, v128.load(QUOTES)), i8x16.eq(sixteen, v128.load(BACKSLASHES))),
      i8x16.lt_u(sixteen, v128.load(SPACES)),
    ),
  );
  // Most keys and short values end here.
  if (found !== 0) {
    const first = ctz(found);
    if (byteAt(at + first) === QUOTE) {
      escaped = 0;
      isWide = (i8x16.bitmask(sixteen) & ((1 << first) - 1)) !== 0;
      at += first;
      return at < end ? at : fail();
    }
  }
  return passLongString(at);
}

/** 64 bytes at a time. Long strings are most of a transcript. */
function passLongString(at: usize): usize {
  const quoteBytes = v128.load(QUOTES);
  const backslashBytes = v128.load(BACKSLASHES);
  const spaceBytes = v128.load(SPACES);
  let shorter = 0;
  let seen = i8x16.splat(0);
  /** All but the first byte of a block, where an escape began at the end of the one before. */
  let open: u64 = ~(<u64>0);
  for (; at < end; at += 64) {
    const a = v128.load(at);
    const b = v128.load(at, 16);
    const c = v128.load(at, 32);
    const d = v128.load(at, 48);
    let quotes =
      open &
      bitsOf(
        i8x16.eq(a, quoteBytes),
        i8x16.eq(b, quoteBytes),
        i8x16.eq(c, quoteBytes),
        i8x16.eq(d, quoteBytes),
      );
    let backslashes =
      open &
      bitsOf(
        i8x16.eq(a, backslashBytes),
        i8x16.eq(b, backslashBytes),
        i8x16.eq(c, backslashBytes),
        i8x16.eq(d, backslashBytes),
      );
    open = ~(<u64>0);
    while (backslashes !== 0) {
      const first = lowest(backslashes);
      if ((quotes & (first - 1)) !== 0) break;
      const place = <usize>ctz(backslashes);
      const surplus = <i32>load<u8>(ESCAPES + <usize>load<u8>(at + place + 1));
      if (surplus === 0 || (surplus === 5 && !isHex(at + place + 2))) return fail();
      shorter += surplus;
      const rest = ~(first | (first << 1));
      backslashes &= rest;
      quotes &= rest;
      if (place === 63) open = ~(<u64>1);
    }
    const least = i8x16.min_u(i8x16.min_u(a, b), i8x16.min_u(c, d));
    if (v128.any_true(i8x16.lt_u(least, spaceBytes))) {
      const controls = bitsOf(
        i8x16.lt_u(a, spaceBytes),
        i8x16.lt_u(b, spaceBytes),
        i8x16.lt_u(c, spaceBytes),
        i8x16.lt_u(d, spaceBytes),
      );
      if (quotes === 0 || (controls & (lowest(quotes) - 1)) !== 0) return fail();
    }
    if (quotes !== 0) {
      const stop = at + <usize>ctz(quotes);
      if (stop >= end) return fail();
      escaped = shorter;
      isWide = i8x16.bitmask(seen) !== 0 || (bitsOf(a, b, c, d) & (lowest(quotes) - 1)) !== 0;
      return stop;
    }
    seen = v128.or(seen, v128.or(v128.or(a, b), v128.or(c, d)));
  }
  return fail();
}

/** The top bits of 64 bytes. */
function bitsOf(a: v128, b: v128, c: v128, d: v128): u64 {
  const low = <u32>(i8x16.bitmask(a) | (i8x16.bitmask(b) << 16));
  const high = <u32>(i8x16.bitmask(c) | (i8x16.bitmask(d) << 16));
  return <u64>low | ((<u64>high) << 32);
}

function lowest(bits: u64): u64 {
  return bits & (~bits + 1);
}

function isHex(at: usize): bool {
  for (let i: usize = 0; i < 4; i++) {
    const c = byteAt(at + i);
    const letter = c | 0x20;
    if (!((c >= 0x30 && c <= 0x39) || (letter >= 0x61 && letter <= 0x66))) return false;
  }
  return true;
}

/** The length of the string just passed in UTF-16 units, decoded. */
export function unitsOf(start: usize, stop: usize): i32 {
  const length = <i32>(stop - start) - escaped;
  return isWide ? length - surplusOf(start, stop) : length;
}

/** How many bytes more than UTF-16 units. What is not UTF-8 is unusual. */
function surplusOf(at: usize, stop: usize): i32 {
  let surplus = 0;
  while (at < stop) {
    if (at + 16 <= stop && i8x16.bitmask(v128.load(at)) === 0) {
      at += 16;
      continue;
    }
    const lead = byteAt(at);
    const size: usize = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (size > 1) {
      if (at + size > stop || !isCharacter(at, lead, size)) {
        unusual = true;
        return 0;
      }
      // A character of four bytes is two units.
      surplus += size === 2 ? 1 : 2;
    }
    at += size;
  }
  return surplus;
}

function isCharacter(at: usize, lead: i32, size: usize): bool {
  if (lead < 0xc2 || lead > 0xf4) return false;
  for (let i: usize = 1; i < size; i++) if ((byteAt(at + i) & 0xc0) !== 0x80) return false;
  const second = byteAt(at + 1);
  if (lead === 0xe0) return second >= 0xa0;
  if (lead === 0xed) return second < 0xa0;
  if (lead === 0xf0) return second >= 0x90;
  if (lead === 0xf4) return second < 0x90;
  return true;
}

/** From the first byte of a number or literal to after its last. */
export function passScalar(at: usize): usize {
  const first = byteAt(at);
  if (first === 0x74) return load<u32>(at) === 0x65757274 ? at + 4 : fail();
  if (first === 0x66) return load<u32>(at, 1) === 0x65736c61 ? at + 5 : fail();
  if (first === 0x6e) return load<u32>(at) === 0x6c6c756e ? at + 4 : fail();
  if (first === MINUS) at++;
  if (byteAt(at) === 0x30) at++;
  else at = passDigits(at);
  if (byteAt(at) === 0x2e) at = passDigits(at + 1);
  if ((byteAt(at) | 0x20) === 0x65) {
    at++;
    const sign = byteAt(at);
    if (sign === 0x2b || sign === MINUS) at++;
    at = passDigits(at);
  }
  return at;
}

function passDigits(at: usize): usize {
  const start = at;
  while (isDigit(byteAt(at))) at++;
  return at > start ? at : fail();
}

export function isDigit(c: i32): bool {
  return c >= 0x30 && c <= 0x39;
}
