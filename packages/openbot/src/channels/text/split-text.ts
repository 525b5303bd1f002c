/** How long a text is for the network: what is sent in the end. */
export type Measure = (part: string) => number;

/**
 * Splits a Markdown text into parts that the network takes, so that none is longer than `limit` by `measure`. Blank lines
 * are preferred as places to split, then line ends, then spaces. A code block that must be split is closed and opened
 * again with the same fence, where the limit has room for that. No character of the text is lost but the white space
 * where it is split. A character that is longer than the limit is a part of its own.
 *
 * @param limit of each part, or of the part with this number
 */
export function splitText(
  text: string,
  limit: number | ((part: number) => number),
  measure: Measure = (part) => part.length,
): readonly string[] {
  const parts: string[] = [];
  const limitOf = typeof limit === 'number' ? () => limit : limit;
  let rest: Rest = { text, from: 0, opening: '' };
  for (;;) {
    const cut = cutFirst(rest, limitOf(parts.length), measure);
    if (cut.part.trim() !== '') parts.push(cut.part);
    if (cut.left === undefined) break;
    rest = cut.left;
  }
  return parts.length === 0 ? [text] : parts;
}

/** What is not in a part yet: the opening of a code block that was split, and the text from here on. */
interface Rest {
  readonly text: string;
  readonly from: number;
  readonly opening: string;
}

interface Cut {
  readonly part: string;
  /** Undefined at the end of the text. */
  readonly left?: Rest;
}

/** A beginning that fits and is nearly the longest, at the best place to split that is in its second half. */
function cutFirst(rest: Rest, limit: number, measure: Measure): Cut {
  const { text, from } = rest;
  const lengthAt = (at: number) => measure(cutAt(rest, at, limit).part);
  const longest = findLongest(rest, limit, lengthAt);
  if (longest === text.length) return cutAt(rest, longest, limit);
  // Shorter is not always less: a mark without its pair is shown.
  let most = longest;
  while (most > from && (isInside(text, most) || (most < longest && lengthAt(most) > limit))) most--;
  if (most <= from) return cutAt({ ...rest, opening: '' }, oneCharacter(text, from), limit, false);
  for (const separator of ['\n\n', '\n', ' ']) {
    const length = text.slice(from, most + separator.length).lastIndexOf(separator);
    if (length < (most - from) / 2 || length <= 0) continue;
    const cut = cutAt(rest, from + length, limit);
    // Closing a block may cost more here than at the longest place.
    if (measure(cut.part) <= limit) return cut;
  }
  return cutAt(rest, most, limit);
}

/** How near to the longest is near enough: exact for short texts. */
const NEAR = 64;

/**
 * The end of a beginning that fits; `from` where none does. Markup may make a text much longer than what is shown of it,
 * so it is looked for in growing windows: the rest of a long text is not measured for each part.
 */
function findLongest({ text, from }: Rest, limit: number, lengthAt: (at: number) => number): number {
  let low = { at: from, length: 0 };
  let high = { at: Math.min(text.length, from + Math.max(Math.ceil(limit), 1)), length: 0 };
  for (;;) {
    high = { ...high, length: lengthAt(high.at) };
    if (high.length > limit) break;
    if (high.at === text.length) return text.length;
    low = high;
    high = { at: Math.min(text.length, from + 2 * (high.at - from)), length: 0 };
  }
  for (let round = 0; high.at - low.at > 1 + (low.at - from) / NEAR; round++) {
    // By what is shown of each character so far, and every other time in the middle, so that it ends whatever is shown.
    const share = round % 2 === 0 ? (limit - low.length) / (high.length - low.length) : 0.5;
    const at = low.at + Math.min(Math.max(Math.floor(share * (high.at - low.at)), 1), high.at - low.at - 1);
    const tried = { at, length: lengthAt(at) };
    if (tried.length <= limit) low = tried;
    else high = tried;
  }
  return low.at;
}

function cutAt(rest: Rest, at: number, limit: number, mayClose = true): Cut {
  const { text, from, opening } = rest;
  const head = opening + text.slice(from, at);
  if (at >= text.length) return { part: head };
  const fence = mayClose ? openFence(head) : undefined;
  if (fence === undefined || 2 * fence.mark.length + 2 > limit / 2)
    return { part: head.trimEnd(), left: { text, from: skipSpace(text, at), opening: '' } };
  const end = head.endsWith('\n') ? '' : '\n';
  // Opened again without its language where that would take the room of the code.
  const line = fence.line.length <= limit / 4 ? fence.line : fence.mark;
  const next = text[at] === '\n' ? at + 1 : at;
  return { part: `${head}${end}${fence.mark}`, left: { text, from: next, opening: `${line}\n` } };
}

/** Behind the white space at a place, up to the indentation of the line that comes then. */
function skipSpace(text: string, at: number): number {
  let [place, lineStart] = [at, at];
  for (; place < text.length; place++) {
    if (text[place] === '\n') lineStart = place + 1;
    else if (text[place] !== ' ') break;
  }
  return lineStart > at ? lineStart : place;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})([^\n]*)$/;

/** A line that opens a code block: its mark, and what is said of the code. A line of inline code is none. */
export function readFence(line: string): { readonly mark: string; readonly info: string } | undefined {
  const [, mark, info] = FENCE.exec(line) ?? [];
  if (mark === undefined || info === undefined || (mark[0] === '`' && info.includes('`'))) return undefined;
  return { mark, info: info.trim() };
}

export function closesFence(line: string, mark: string): boolean {
  const found = FENCE.exec(line);
  return found?.[2]?.trim() === '' && found[1]!.startsWith(mark);
}

/** The code block that is open at the end of a text. */
function openFence(text: string): { readonly line: string; readonly mark: string } | undefined {
  let open: { line: string; mark: string } | undefined;
  for (const line of text.split('\n')) {
    if (open !== undefined) {
      if (closesFence(line, open.mark)) open = undefined;
      continue;
    }
    const fence = readFence(line);
    if (fence !== undefined) open = { line, mark: fence.mark };
  }
  return open;
}

/** Between the halves of a character. */
function isInside(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return isHigh(text.charCodeAt(at - 1)) && code >= 0xdc00 && code <= 0xdfff;
}

function oneCharacter(text: string, from: number): number {
  return isInside(text, from + 1) ? from + 2 : from + 1;
}

function isHigh(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
