/** Nearly every text is of these alone, and needs no closer look. */
const ORDINARY = /^[\t\n\x20-\x7e]*$/;

/** England, Scotland and Wales are written with tag characters, which could otherwise spell out a hidden text. */
const TAGGED_FLAG = /\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{3,6}\u{e007f}/uy;

const UNKNOWN = 0xfffd;

/**
 * Text from outside with `\n` as its only line end and without characters that act instead of being read. Control
 * characters become their picture (`␛`), or `�` where Unicode has none; so do tag characters and halves of pairs. Tabs
 * stay.
 */
export function cleanText(text: string): string {
  if (ORDINARY.test(text)) return text;
  const units = unitsOf(text);
  let written = 0;
  for (let at = 0; at < units.length; at++) {
    const unit = units[at]!;
    if (unit === 0x0d && units[at + 1] === 0x0a) continue;
    if (unit < 0xd800 || unit > 0xdbff || !isLow(units[at + 1])) {
      units[written++] = unit < 0xa0 || unit >> 1 === 0x1014 ? plainUnit(unit) : unit;
      continue;
    }
    const end = endOfTogether(text, units, at);
    if (end === at) units[written++] = UNKNOWN;
    else for (let kept = at; kept < end; kept++) units[written++] = units[kept]!;
    at = Math.max(end, at + 2) - 1;
  }
  return textOf(units, written).toWellFormed();
}

/** `\r\n` and `\r` become `\n`. */
export function unifyReturns(text: string): string {
  if (!text.includes('\r')) return text;
  const units = unitsOf(text);
  let written = 0;
  for (let at = 0; at < units.length; at++) {
    if (units[at] !== 0x0d) units[written++] = units[at]!;
    else if (units[at + 1] !== 0x0a) units[written++] = 0x0a;
  }
  return textOf(units, written);
}

/** A text is changed in these: a regular expression takes seconds for 10 MB in which it finds every character. */
function unitsOf(text: string): Uint16Array {
  const bytes = Buffer.from(text, 'utf16le');
  return new Uint16Array(bytes.buffer, bytes.byteOffset, text.length);
}

function textOf({ buffer, byteOffset }: Uint16Array, length: number): string {
  return Buffer.from(buffer, byteOffset, 2 * length).toString('utf16le');
}

function plainUnit(unit: number): number {
  if (unit === 0x09 || unit === 0x0a || (unit >= 0x20 && unit < 0x7f)) return unit;
  if ((unit >= 0x0b && unit <= 0x0d) || unit === 0x85 || unit > 0xa0) return 0x0a;
  if (unit < 0x20) return 0x2400 + unit;
  return unit === 0x7f ? 0x2421 : UNKNOWN;
}

const isLow = (unit = 0) => unit >= 0xdc00 && unit < 0xe000;

/** The end of the pair at this place, or of the flag that it begins; the place itself for a tag that is in no flag. */
function endOfTogether(text: string, units: Uint16Array, at: number): number {
  const [high, low] = [units[at]!, units[at + 1]!];
  if (high === 0xdb40 && low < 0xdc80) return at;
  if (high !== 0xd83c || low !== 0xdff4) return at + 2;
  TAGGED_FLAG.lastIndex = at;
  return TAGGED_FLAG.test(text) ? TAGGED_FLAG.lastIndex : at + 2;
}
