/**
 * Finds its way in the text of a JSON value without building it, so that single parts can be replaced and all else keeps
 * the bytes it was written with. The text must be valid JSON. It may be decoded as UTF-8 or as one character a byte
 * (latin1): structure is ASCII.
 */

/** Where a member and its value are in the text. */
export interface MemberSpan {
  readonly key: string;
  readonly keyStart: number;
  readonly start: number;
  readonly end: number;
  /** The members of its value, where that is an object that was to be opened. */
  readonly members?: readonly MemberSpan[];
  /** The elements of its value, where that is an array that was listed on the way. */
  readonly elements?: readonly ElementSpan[];
}

export interface ElementSpan {
  readonly start: number;
  readonly end: number;
  /** Of an object; otherwise empty. */
  readonly members: readonly MemberSpan[];
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

export function isObjectAt(json: string, start: number): boolean {
  return json.charCodeAt(start) === OPEN_BRACE;
}

export function isArrayAt(json: string, start: number): boolean {
  return json.charCodeAt(start) === OPEN_BRACKET;
}

export function isStringAt(json: string, start: number): boolean {
  return json.charCodeAt(start) === QUOTE;
}

/**
 * The members of the object that begins at `start`, in their order; keys may repeat, and then the last one counts.
 * @param opened the key of objects whose members are listed on the way, so that they need not be gone through again
 */
export function listMembers(json: string, start: number, opened?: string): MemberSpan[] {
  const members: MemberSpan[] = [];
  passMembers(json, start, members, opened);
  return members;
}

/** @returns just behind the object */
function passMembers(json: string, start: number, members: MemberSpan[], opened?: string): number {
  let at = skipSpace(json, start + 1);
  while (at < json.length && json.charCodeAt(at) !== CLOSE_BRACE) {
    const keyStart = at;
    const keyEnd = endOfString(json, at);
    const key = readKey(json, keyStart, keyEnd);
    const colon = json.charCodeAt(keyEnd) === COLON ? keyEnd : json.indexOf(':', keyEnd);
    const valueStart = skipSpace(json, colon + 1);
    const inside: MemberSpan[] | undefined = key === opened && isObjectAt(json, valueStart) ? [] : undefined;
    const end = inside === undefined ? endOfValue(json, valueStart) : passMembers(json, valueStart, inside);
    members.push({ key, keyStart, start: valueStart, end, members: inside });
    at = behindComma(json, end);
  }
  return Math.min(at + 1, json.length);
}

/**
 * As `listMembers`, up to the last of the keys that are asked for: what follows is not read. Undefined where
 * that could miss something, because one of them is not there or may come again.
 */
export function seekMembers(json: string, start: number, keys: readonly string[]): MemberSpan[] | undefined {
  const members: MemberSpan[] = [];
  const at = passSought(json, start, keys, members);
  return at === undefined || mayComeAgain(json, start, at, keys) ? undefined : members;
}

/**
 * As `seekMembers`, and on to an array: the members up to `outer`, whose own are listed up to `inner`, whose
 * elements are listed.
 */
export function seekArray(
  json: string,
  start: number,
  keys: readonly string[],
  outer: string,
  inner: string,
): { readonly top: readonly MemberSpan[]; readonly members: readonly MemberSpan[] } | undefined {
  const top: MemberSpan[] = [];
  const members: MemberSpan[] = [];
  const object = passSought(json, start, keys, top, outer);
  if (object === undefined || !isObjectAt(json, object)) return undefined;
  const array = passSought(json, object, [], members, inner);
  if (array === undefined || !isArrayAt(json, array)) return undefined;
  const elements: ElementSpan[] = [];
  const end = passElements(json, array, elements);
  if (mayComeAgain(json, start, end, [...keys, outer, inner])) return undefined;
  members.push({ key: inner, keyStart: -1, start: array, end, elements });
  return { top, members };
}

/**
 * Lists members until all of the keys have come, and further to the value of `last`, where one is named.
 * @returns behind them, or where that value begins; undefined where they do not all come, or one of them twice
 */
function passSought(
  json: string,
  start: number,
  keys: readonly string[],
  members: MemberSpan[],
  last?: string,
): number | undefined {
  let left = keys.length;
  let at = skipSpace(json, start + 1);
  while (left > 0 || last !== undefined) {
    if (at >= json.length || json.charCodeAt(at) !== QUOTE) return undefined;
    const keyEnd = endOfString(json, at);
    const key = readKey(json, at, keyEnd);
    const colon = json.charCodeAt(keyEnd) === COLON ? keyEnd : json.indexOf(':', keyEnd);
    const valueStart = skipSpace(json, colon + 1);
    if (key === last) return left === 0 ? valueStart : undefined;
    if (keys.includes(key)) {
      if (members.some((member) => member.key === key)) return undefined;
      left--;
    }
    const end = endOfValue(json, valueStart);
    members.push({ key, keyStart: at, start: valueStart, end });
    at = behindComma(json, end);
  }
  return at;
}

/** Whether one of the keys may follow in what was not read. */
function mayComeAgain(json: string, start: number, from: number, keys: readonly string[]): boolean {
  // A key can also be written with escapes.
  return json.includes('\\u00', start) || keys.some((key) => json.includes(`"${key}"`, from));
}

/** The value that a key means: the last one. */
export function findMember(members: readonly MemberSpan[], key: string): MemberSpan | undefined {
  return members.findLast((member) => member.key === key);
}

/** The elements of the array that begins at `start`, and their members. */
export function listElements(json: string, start: number): ElementSpan[] {
  const elements: ElementSpan[] = [];
  passElements(json, start, elements);
  return elements;
}

/** @returns just behind the array */
function passElements(json: string, start: number, elements: ElementSpan[]): number {
  let at = skipSpace(json, start + 1);
  while (at < json.length && json.charCodeAt(at) !== CLOSE_BRACKET) {
    const members: MemberSpan[] = [];
    const end = isObjectAt(json, at) ? passMembers(json, at, members) : endOfValue(json, at);
    elements.push({ start: at, end, members });
    at = behindComma(json, end);
  }
  return Math.min(at + 1, json.length);
}

/** Just behind the value that begins at `start`. */
function endOfValue(json: string, start: number): number {
  const first = json.charCodeAt(start);
  if (first === QUOTE) return endOfString(json, start);
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return endOfNested(json, start);
  let at = start;
  for (; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === COMMA || code === CLOSE_BRACE || code === CLOSE_BRACKET || isSpace(code)) break;
  }
  return at;
}

function endOfNested(json: string, start: number): number {
  let depth = 0;
  for (let at = start; at < json.length; ) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(json, at);
      continue;
    }
    at++;
    if (code === OPEN_BRACE || code === OPEN_BRACKET) depth++;
    else if ((code === CLOSE_BRACE || code === CLOSE_BRACKET) && --depth === 0) return at;
  }
  return json.length;
}

/** Just behind the closing quote of the string that begins at `start`. */
function endOfString(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); ; end = json.indexOf('"', end + 1)) {
    if (end < 0) return json.length;
    let before = end - 1;
    while (json.charCodeAt(before) === BACKSLASH) before--;
    if ((end - before) % 2 === 1) return end + 1;
  }
}

function readKey(json: string, start: number, end: number): string {
  const plain = json.slice(start + 1, end - 1);
  return plain.includes('\\') ? (JSON.parse(json.slice(start, end)) as string) : plain;
}

export function skipSpace(json: string, from: number): number {
  let at = from;
  while (isSpace(json.charCodeAt(at))) at++;
  return at;
}

function behindComma(json: string, from: number): number {
  const at = skipSpace(json, from);
  return json.charCodeAt(at) === COMMA ? skipSpace(json, at + 1) : at;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}
