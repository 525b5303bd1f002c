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
  for (const start of lineStarts(clean)) {
    if (!looksReserved(clean, start)) continue;
    out += clean.slice(copied, start) + GUARD;
    copied = start;
  }
  return out + clean.slice(copied);
}

export function unguardText(guarded: string): string {
  let out = '';
  let copied = 0;
  for (const start of lineStarts(guarded)) {
    if (!guarded.startsWith(GUARD, start) || !looksReserved(guarded, start)) continue;
    out += guarded.slice(copied, start);
    copied = start + GUARD.length;
  }
  return out + guarded.slice(copied);
}

function* lineStarts(text: string): Generator<number> {
  for (let start = 0; ; ) {
    yield start;
    const end = text.indexOf('\n', start);
    if (end < 0) return;
    start = end + 1;
  }
}

function looksReserved(text: string, lineStart: number): boolean {
  let start = lineStart;
  while (text.startsWith(GUARD, start)) start += GUARD.length;
  return isReservedLine(text, start);
}

const FIRST_CHARACTERS = new Set(RESERVED_BEGINNINGS.map((beginning) => beginning[0]));
/** The longest label of a message in a group; see `formatEnvelope`. */
const MAX_ENVELOPE = 600;
/** The label of a message in a group, and what the queue left out: their beginnings vary. */
const OURS_IN_BRACKETS = /^\[.*\d{4}-\d{2}-\d{2}t\d{2}:\d{2}z\]$|^\[\d+earliermessages?w(?:as|ere)leftout/;

/** Whether the line reads as one of ours. Looks at a bounded number of characters, apart from invisible ones. */
function isReservedLine(text: string, start: number): boolean {
  let read = '';
  for (const character of readPlainly(text, start)) {
    if (read === '' && !FIRST_CHARACTERS.has(character)) return false;
    read += character;
    if (RESERVED_BEGINNINGS.includes(read)) return true;
    if (read[0] === '[') {
      if (character === ']' || read.length >= MAX_ENVELOPE) break;
    } else if (!RESERVED_BEGINNINGS.some((beginning) => beginning.startsWith(read))) {
      return false;
    }
  }
  return OURS_IN_BRACKETS.test(read);
}

/** Bounded, because a repetition of such a class uses stack for each character. */
const UNSEEN = /[\t\p{Zs}\p{Cf}\p{M}\p{Default_Ignorable_Code_Point}]{1,1000}/uy;

/** The characters of a line as a reader takes them: small letters, plain signs, nothing invisible, no spaces. */
function* readPlainly(text: string, start: number): Generator<string> {
  for (let at = start; at < text.length; ) {
    const code = text.codePointAt(at) ?? 0;
    if (code === 0x0a) return;
    if (code > 0x20 && code < 0x7f) {
      yield text.charAt(at).toLowerCase();
      at += 1;
      continue;
    }
    UNSEEN.lastIndex = at;
    if (UNSEEN.test(text)) {
      at = UNSEEN.lastIndex;
      continue;
    }
    const character = String.fromCodePoint(code);
    at += character.length;
    for (const part of character.normalize('NFKD').toLowerCase()) {
      if (!/[\s\p{M}]/u.test(part)) yield LOOKALIKES.get(part) ?? part;
    }
  }
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
