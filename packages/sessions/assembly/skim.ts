/**
 * Takes from the bytes of one line of JSON what a shape names, checking the whole line on the way: see
 * src/transcript/skim/skimmer.ts, which lays out the shape and reads the events that come out of here.
 *
 * A node of a shape is: leaf, its number, the node of elements, the keys, whether an element opens a row, and the word
 * that was found there last: its record, its number.
 * Keys are lists by length; an item of a list is: the next one, a bit, the node, the bytes of the key.
 * An event is: number of the node and tag, and two figures.
 */
import {
  BACKSLASH,
  begin,
  byteAt,
  escaped,
  fail,
  isDigit,
  isWide,
  LOWER_U,
  passScalar,
  passSpaces,
  passString,
  QUOTE,
  unitsOf,
  unusual,
} from './json-text';
import { holds, intern, recordOf, wordOf } from './strings';

export { allocate } from './memory';
export { find, intern, recordOf, size } from './strings';

namespace Leaf {
  export const NONE: i32 = 0;
  export const TEXT: i32 = 1;
  export const REF: i32 = 2;
  export const SCALAR: i32 = 3;
  export const NUMBER: i32 = 4;
  export const FLAG: i32 = 5;
  export const PRESENT: i32 = 6;
  export const SIZE: i32 = 7;
  export const HEAD: i32 = 8;
  export const SUM: i32 = 9;
  export const COUNT: i32 = 10;
  export const WEIGHT: i32 = 11;
  export const LIST: i32 = 12;
}

namespace Tag {
  /** A figure. */
  export const FIGURE: i32 = 0;
  /** A string that repeats: its number as a word, its number. */
  export const WORD: i32 = 1;
  /** Any other string: where it is. */
  export const STRING: i32 = 2;
  export const ROW: i32 = 3;
  /** To be added to what is there. */
  export const SUM: i32 = 4;
  export const NULL: i32 = 5;
  export const TRUE: i32 = 6;
  export const FALSE: i32 = 7;
  /** A number that is no short figure: where it is. */
  export const NUMBER: i32 = 8;
  /** The beginning of a string that may look machine-made: where the string is. */
  export const HEAD: i32 = 9;
}

const EVENT_SIZE: usize = 12;
const EVENTS_END: usize = 64 * 1024;
const LINE_SIZE: usize = 12;
const LINES_END: usize = 12 * 1024;
const MAX_KEY: i32 = 31;
const MAX_WORD: usize = 64;
const MAX_DEPTH: i32 = 200;
const SCALAR_WEIGHT: i32 = 4;
const PUNCTUATION_WEIGHT: i32 = 3;

const OPEN_OBJECT: i32 = 0x7b;
const CLOSE_OBJECT: i32 = 0x7d;
const OPEN_ARRAY: i32 = 0x5b;
/** Of `System: `. */
const LETTER_S: i32 = 0x53;
const CLOSE_ARRAY: i32 = 0x5d;
const COMMA: i32 = 0x2c;
const COLON: i32 = 0x3a;
const LINE_FEED: i32 = 0x0a;
const CARRIAGE_RETURN: i32 = 0x0d;

/** Where the events are, of one line or of those that were skimmed together. */
export const events: usize = memory.data(64 * 1024, 16);
/** Of lines that were skimmed together: where each begins and ends, and behind its last event. */
export const lines: usize = memory.data(12 * 1024, 16);
let eventsEnd: usize = 0;
let isWeighing: bool = false;
let weight: i32 = 0;

/**
 * @returns how many events there are, or -1 for a line that is no JSON object or not plain enough
 */
export function skim(start: usize, end: usize, root: usize): i32 {
  eventsEnd = events;
  if (skimOne(start, end, root) !== end) return -1;
  return <i32>((eventsEnd - events) / EVENT_SIZE);
}

/**
 * Skims whole lines, one after the other, up to the first that is not plain enough, has no line end, or has no room for its
 * events.
 * @returns how many lines there were
 */
export function skimLines(start: usize, end: usize, root: usize): i32 {
  let line = lines;
  eventsEnd = events;
  for (; start < end && line + LINE_SIZE <= lines + LINES_END; line += LINE_SIZE) {
    const stop = skimOne(start, end, root);
    if (stop === 0) break;
    const next = byteAt(stop) === CARRIAGE_RETURN ? stop + 1 : stop;
    if (next >= end || byteAt(next) !== LINE_FEED) break;
    store<u32>(line, <u32>start);
    store<u32>(line, <u32>stop, 4);
    store<u32>(line, <u32>eventsEnd, 8);
    start = next + 1;
  }
  return <i32>((line - lines) / LINE_SIZE);
}

/** @returns behind an object and the spaces that follow it; 0 where there is none, or it is not plain enough */
function skimOne(start: usize, end: usize, root: usize): usize {
  begin(end);
  isWeighing = false;
  const at = passSpaces(start);
  if (byteAt(at) !== OPEN_OBJECT) return 0;
  const stop = passObject(at, root, 0);
  return unusual ? 0 : passSpaces(stop);
}

function emit(node: usize, tag: i32, first: i32, second: i32): void {
  if (eventsEnd + EVENT_SIZE > events + EVENTS_END) {
    fail();
    return;
  }
  store<i32>(eventsEnd, load<i32>(node, 4) | (tag << 16));
  store<i32>(eventsEnd, first, 4);
  store<i32>(eventsEnd, second, 8);
  eventsEnd += EVENT_SIZE;
}

/** @param node 0 where nothing is wanted */
function passObject(at: usize, node: usize, depth: i32): usize {
  if (depth >= MAX_DEPTH) return fail();
  const keys: usize = node === 0 ? 0 : load<u32>(node, 12);
  const inside = passSpaces(at + 1);
  if (byteAt(inside) === CLOSE_OBJECT) return inside + 1;
  let seen = 0;
  do {
    at = passSpaces(at + 1);
    if (byteAt(at) !== QUOTE) return fail();
    const keyStart = at + 1;
    const keyEnd = passString(keyStart);
    if (unusual) return keyEnd;
    let key: usize = 0;
    if (keys !== 0) {
      if (escaped > 0) return fail();
      key = findKey(keys, keyStart, keyEnd);
    }
    if (isWeighing) weight += PUNCTUATION_WEIGHT + unitsOf(keyStart, keyEnd);
    at = passSpaces(keyEnd + 1);
    if (byteAt(at) !== COLON) return fail();
    at = passSpaces(at + 1);
    if (key === 0) at = pass(at, depth + 1);
    else {
      const bit = load<i32>(key, 4);
      if ((seen & bit) !== 0) return fail();
      seen |= bit;
      at = take(at, load<u32>(key, 8), depth + 1);
    }
    if (unusual) return at;
    at = passSpaces(at);
  } while (byteAt(at) === COMMA);
  return byteAt(at) === CLOSE_OBJECT ? at + 1 : fail();
}

function findKey(keys: usize, start: usize, end: usize): usize {
  const length = <i32>(end - start);
  if (length > MAX_KEY) return 0;
  let key: usize = load<u32>(keys + ((<usize>length) << 2));
  for (; key !== 0; key = load<u32>(key)) {
    let i: usize = 0;
    while (start + i < end && load<u8>(key + i, 12) === load<u8>(start + i)) i++;
    if (start + i === end) return key;
  }
  return 0;
}

/** @param element 0 where nothing is wanted */
function passArray(at: usize, element: usize, depth: i32): usize {
  if (depth >= MAX_DEPTH) return fail();
  const opensRow = element !== 0 && load<i32>(element, 16) !== 0;
  const inside = passSpaces(at + 1);
  if (byteAt(inside) === CLOSE_ARRAY) return inside + 1;
  do {
    at = passSpaces(at + 1);
    if (isWeighing) weight += PUNCTUATION_WEIGHT;
    if (element === 0 || (opensRow && byteAt(at) !== OPEN_OBJECT)) at = pass(at, depth + 1);
    else {
      if (opensRow) emit(element, Tag.ROW, 0, 0);
      at = take(at, element, depth + 1);
    }
    if (unusual) return at;
    at = passSpaces(at);
  } while (byteAt(at) === COMMA);
  return byteAt(at) === CLOSE_ARRAY ? at + 1 : fail();
}

/** Passes over a value that the shape does not name. */
function pass(at: usize, depth: i32): usize {
  const first = byteAt(at);
  if (first === QUOTE) {
    const end = passString(at + 1);
    if (isWeighing && !unusual) weight += unitsOf(at + 1, end);
    return end + 1;
  }
  if (first === OPEN_OBJECT) return passObject(at, 0, depth);
  if (first === OPEN_ARRAY) return passArray(at, 0, depth);
  if (isWeighing) weight += SCALAR_WEIGHT;
  return passScalar(at);
}

function take(at: usize, node: usize, depth: i32): usize {
  const leaf = load<i32>(node);
  if (leaf === Leaf.WEIGHT) {
    isWeighing = true;
    weight = 0;
    const end = pass(at, depth);
    isWeighing = false;
    emit(node, Tag.FIGURE, weight, 0);
    return end;
  }
  if (leaf === Leaf.PRESENT) emit(node, Tag.TRUE, 0, 0);
  else if (leaf === Leaf.COUNT) emit(node, Tag.SUM, 1, 0);
  const first = byteAt(at);
  if (first === QUOTE) {
    const end = passString(at + 1);
    if (leaf !== Leaf.NONE && !unusual) takeString(node, leaf, at + 1, end);
    return end + 1;
  }
  if (first === OPEN_OBJECT) return passObject(at, node, depth);
  if (first === OPEN_ARRAY) return passArray(at, load<u32>(node, 8), depth);
  const end = passScalar(at);
  if (leaf !== Leaf.NONE && !unusual) takeScalar(node, leaf, at, end);
  return end;
}

function takeString(node: usize, leaf: i32, start: usize, end: usize): void {
  if (leaf === Leaf.SIZE || leaf === Leaf.HEAD) {
    emit(node, Tag.FIGURE, unitsOf(start, end), 0);
    if (leaf === Leaf.HEAD && mayHaveHead(start)) emit(node, Tag.HEAD, <i32>start, <i32>end);
  } else if (leaf === Leaf.SUM) emit(node, Tag.SUM, unitsOf(start, end), 0);
  else if (leaf === Leaf.REF || leaf === Leaf.TEXT || leaf === Leaf.SCALAR || leaf === Leaf.LIST) {
    const isPlain = escaped === 0 && !isWide;
    if (isPlain && leaf === Leaf.REF) emit(node, Tag.FIGURE, intern(start, <i32>(end - start)), 0);
    else if (isPlain && leaf !== Leaf.LIST && end - start <= MAX_WORD) {
      takeWord(node, start, <i32>(end - start));
    } else emit(node, Tag.STRING, <i32>start, <i32>end);
  }
}

/** Mostly the same as in the line before. */
function takeWord(node: usize, start: usize, length: i32): void {
  const last: usize = load<u32>(node, 20);
  if (last === 0 || !holds(last, start, length)) {
    const number = intern(start, length);
    store<u32>(node, <u32>recordOf(number), 20);
    store<i32>(node, number, 24);
  }
  const number = load<i32>(node, 24);
  emit(node, Tag.WORD, wordOf(number), number);
}

/** A `<` or a `[`, perhaps written as an escape. */
function mayHaveHead(start: usize): bool {
  const first = byteAt(start);
  if (first === 0x3c || first === OPEN_ARRAY || first === LETTER_S) return true;
  return first === BACKSLASH && byteAt(start + 1) === LOWER_U;
}

function takeScalar(node: usize, leaf: i32, start: usize, end: usize): void {
  const first = byteAt(start);
  if (first === 0x6e) {
    if (leaf === Leaf.TEXT || leaf === Leaf.SCALAR || leaf === Leaf.REF) emit(node, Tag.NULL, 0, 0);
  } else if (first === 0x74) {
    if (leaf === Leaf.FLAG || leaf === Leaf.SCALAR) emit(node, Tag.TRUE, 0, 0);
  } else if (first === 0x66) {
    if (leaf === Leaf.SCALAR) emit(node, Tag.FALSE, 0, 0);
  } else if (leaf === Leaf.NUMBER || leaf === Leaf.SCALAR) takeNumber(node, start, end);
}

function takeNumber(node: usize, start: usize, end: usize): void {
  let figure = 0;
  for (let at = start; at < end; at++) {
    const c = byteAt(at);
    if (!isDigit(c) || end - start > 9) {
      emit(node, Tag.NUMBER, <i32>start, <i32>end);
      return;
    }
    figure = figure * 10 + c - 0x30;
  }
  emit(node, Tag.FIGURE, figure, 0);
}
