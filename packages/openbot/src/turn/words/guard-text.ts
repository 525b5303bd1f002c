import { cleanText } from './clean-text.ts';
import { RESERVED_BEGINNINGS } from './markers.ts';

/** The sign of a quotation: the model still reads the line, as words of its sender. */
export const GUARD = '> ';

/**
 * Words of a person, so that no line can be taken for one that the runtime wrote: a line that begins as one of our
 * markers gets `> ` in front. Everything else stays as `cleanText` leaves it. A line that has the sign already gets one
 * more, so that `unguardText` can undo it exactly. Must therefore be applied once.
 */
export function guardText(text: string): string {
  const clean = cleanText(text);
  let out = '';
  let copied = 0;
  for (let start = 0; start >= 0; start = nextLine(clean, start)) {
    if (!looksReserved(clean, start)) continue;
    out += clean.slice(copied, start) + GUARD;
    copied = start;
  }
  return out + clean.slice(copied);
}

export function unguardText(guarded: string): string {
  let out = '';
  let copied = 0;
  for (let start = 0; start >= 0; start = nextLine(guarded, start)) {
    if (!guarded.startsWith(GUARD, start) || !looksReserved(guarded, start)) continue;
    out += guarded.slice(copied, start);
    copied = start + GUARD.length;
  }
  return out + guarded.slice(copied);
}

/** Where the line after the one at `start` begins; -1 when there is none. */
function nextLine(text: string, start: number): number {
  // A search takes longer, and a message may consist of empty lines.
  if (text.charCodeAt(start) === 0x0a) return start + 1;
  const end = text.indexOf('\n', start);
  return end < 0 ? -1 : end + 1;
}

function looksReserved(text: string, lineStart: number): boolean {
  // Most lines begin with a letter that none of ours begins with.
  if (CANNOT_BEGIN[text.charCodeAt(lineStart)] === 1) return false;
  let start = lineStart;
  while (text.startsWith(GUARD, start)) start += GUARD.length;
  return isReservedLine(text, start);
}

const RESERVED = new Set(RESERVED_BEGINNINGS);
/** Every beginning of those beginnings. */
const PREFIXES = new Set(
  RESERVED_BEGINNINGS.flatMap((beginning) => [...beginning].map((_, at) => beginning.slice(0, at + 1))),
);
/** 1 for a line end and for plain characters that are neither a space, a sign of a quotation nor the first of a beginning. */
const CANNOT_BEGIN = Uint8Array.from({ length: 0x7f }, (_, code) => {
  const character = String.fromCharCode(code).toLowerCase();
  return code === 0x0a || (code > 0x20 && character !== '>' && !PREFIXES.has(character)) ? 1 : 0;
});
/** The longest label of a message in a group; see `formatEnvelope`. */
const MAX_ENVELOPE = 600;
/** The label of a message in a group, and what the queue left out: their beginnings vary. */
const OURS_IN_BRACKETS = /^\[.*\d{4}-\d{2}-\d{2}t\d{2}:\d{2}z\]$|^\[\d+earliermessages?w(?:as|ere)leftout/;

/**
 * Whether the line reads as one of ours to a reader who takes small letters and plain signs for others and does not see
 * spaces and invisible characters. Looks at a bounded number of characters, apart from those.
 */
function isReservedLine(text: string, start: number): boolean {
  let read = '';
  for (let at = start; at < text.length; ) {
    const code = text.codePointAt(at) ?? 0;
    if (code === 0x0a) break;
    at += code > 0xffff ? 2 : 1;
    if (isUnseen(code)) continue;
    for (const character of readPlainly(code)) {
      read += character;
      if (RESERVED.has(read)) return true;
      const isBracketed = read.startsWith('[');
      if (!isBracketed && !PREFIXES.has(read)) return false;
      if (isBracketed && (character === ']' || read.length >= MAX_ENVELOPE))
        return OURS_IN_BRACKETS.test(read);
    }
  }
  return OURS_IN_BRACKETS.test(read);
}

const UNSEEN = /^[\t\p{Zs}\p{Cf}\p{M}\p{Default_Ignorable_Code_Point}]$/u;
/** What is known of the 65,536 common characters: 0 nothing yet, 1 seen, 2 unseen. A message may be full of them. */
const knownUnseen = new Uint8Array(0x10000);

function isUnseen(code: number): boolean {
  if (code > 0x20 && code < 0x7f) return false;
  const known = knownUnseen[code] ?? 0;
  if (known !== 0) return known === 2;
  const isUnseenNow = UNSEEN.test(String.fromCodePoint(code));
  if (code < knownUnseen.length) knownUnseen[code] = isUnseenNow ? 2 : 1;
  return isUnseenNow;
}

/** A character as a reader takes it, which may be several or none. */
function readPlainly(code: number): string {
  const character = String.fromCodePoint(code);
  if (code > 0x20 && code < 0x7f) return character.toLowerCase();
  const parts = [...character.normalize('NFKD').toLowerCase()];
  return parts
    .filter((part) => !/[\s\p{M}]/u.test(part))
    .map((part) => LOOKALIKES.get(part) ?? part)
    .join('');
}

/** Letters and signs that are drawn like those of our markers and that Unicode does not call compatible with them. */
const LOOKALIKES = new Map(
  Object.entries({
    a: 'аαɑ',
    c: 'сϲᴄ',
    d: 'ԁ',
    e: 'еεҽ',
    f: 'ƒ',
    g: 'ɡց',
    h: 'һ',
    i: 'іιı',
    m: 'мᴍ',
    n: 'ոп',
    o: 'оοօ',
    p: 'рρ',
    q: 'ԛ',
    r: 'гᴦ',
    s: 'ѕꜱ',
    t: 'тτᴛ',
    u: 'υսᴜ',
    w: 'ԝᴡ',
    x: 'хχ',
    y: 'уүγ',
    ':': '꞉∶ː։׃܃܄⁚ː',
    '[': '【〔〖〚⁅⟦❲⦋⟬',
    ']': '】〕〗〛⁆⟧❳⦌⟭',
    '(': '❨⸨⦅',
    '/': '⁄∕⧸',
  }).flatMap(([plain, others]) => [...others].map((other): [string, string] => [other, plain])),
);
