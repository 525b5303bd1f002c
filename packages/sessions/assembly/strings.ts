/**
 * Strings held once and named by numbers, in the order in which they came.
 * A record is: hash, length, number as a word (0 for none), bytes.
 */
import { allocate } from './memory';

const HEADER: usize = 12;
const ARENA_BLOCK: usize = 64 * 1024;
/** Addresses of records stand in blocks of this many. */
const BLOCK_BITS: i32 = 14;
const BLOCK_MASK: i32 = (1 << BLOCK_BITS) - 1;
const MAX_BLOCKS: usize = 4096;

let count: i32 = 0;
let words: i32 = 0;
const blocks: usize = allocate(MAX_BLOCKS << 2);
/** Open addressing: number + 1, 0 for a free slot. Never more than half full. */
let slots: usize = allocate(4096 << 2);
let slotMask: i32 = 4095;
let arena: usize = 0;
let arenaEnd: usize = 0;

export function size(): i32 {
  return count;
}

export function recordOf(number: i32): usize {
  const block = <usize>load<u32>(blocks + ((<usize>(number >>> BLOCK_BITS)) << 2));
  return <usize>load<u32>(block + ((<usize>(number & BLOCK_MASK)) << 2));
}

/** The number of a string, or -1. */
export function find(start: usize, length: i32): i32 {
  return load<i32>(slotOf(start, length, hashOf(start, length))) - 1;
}

/** The number of a string, which is held from now on. */
export function intern(start: usize, length: i32): i32 {
  const hash = hashOf(start, length);
  const slot = slotOf(start, length, hash);
  const known = load<i32>(slot) - 1;
  if (known >= 0) return known;
  const number = count++;
  store<i32>(slot, number + 1);
  const record = makeRecord(number, length);
  store<i32>(record, hash);
  store<i32>(record, length, 4);
  memory.copy(record + HEADER, start, length);
  if (count * 2 > slotMask) growSlots();
  return number;
}

/** The number of a string among those that were asked for as words: small numbers for strings that repeat. */
export function wordOf(number: i32): i32 {
  const record = recordOf(number);
  const known = load<i32>(record, 8);
  if (known > 0) return known;
  store<i32>(record, ++words, 8);
  return words;
}

function makeRecord(number: i32, length: i32): usize {
  const room = (HEADER + <usize>length + 3) & ~3;
  if (arena + room > arenaEnd) {
    const block = max(room, ARENA_BLOCK);
    arena = allocate(block);
    arenaEnd = arena + block;
  }
  const entry = blocks + ((<usize>(number >>> BLOCK_BITS)) << 2);
  if ((number & BLOCK_MASK) === 0) {
    if (<usize>(number >>> BLOCK_BITS) >= MAX_BLOCKS) unreachable();
    store<u32>(entry, <u32>allocate((<usize>4) << BLOCK_BITS));
  }
  store<u32>(<usize>load<u32>(entry) + ((<usize>(number & BLOCK_MASK)) << 2), <u32>arena);
  const record = arena;
  arena += room;
  return record;
}

/** The slot that holds the string, or the free one where it belongs. */
function slotOf(start: usize, length: i32, hash: i32): usize {
  let slot = hash & slotMask;
  let at = slots + ((<usize>slot) << 2);
  for (let number = load<i32>(at) - 1; number >= 0; number = load<i32>(at) - 1) {
    const record = recordOf(number);
    if (load<i32>(record) === hash && holds(record, start, length)) return at;
    slot = (slot + 1) & slotMask;
    at = slots + ((<usize>slot) << 2);
  }
  return at;
}

/** Whether a record is of this string. */
export function holds(record: usize, start: usize, length: i32): bool {
  return load<i32>(record, 4) === length && isSame(record + HEADER, start, length);
}

function isSame(a: usize, b: usize, length: i32): bool {
  const end = a + <usize>length;
  for (; a + 4 <= end; a += 4, b += 4) if (load<u32>(a) !== load<u32>(b)) return false;
  for (; a < end; a++, b++) if (load<u8>(a) !== load<u8>(b)) return false;
  return true;
}

function hashOf(start: usize, length: i32): i32 {
  let hash = length;
  const end = start + <usize>length;
  for (; start + 4 <= end; start += 4) hash = mix(hash, load<i32>(start));
  for (; start < end; start++) hash = mix(hash, <i32>load<u8>(start));
  hash = mix(hash, hash >>> 15);
  return hash ^ (hash >>> 13);
}

function mix(hash: i32, bits: i32): i32 {
  return (hash ^ bits) * 0x2c1b3c6d;
}

function growSlots(): void {
  const mask = slotMask * 2 + 1;
  const grown = allocate((<usize>(mask + 1)) << 2);
  for (let number = 0; number < count; number++) {
    let slot = load<i32>(recordOf(number)) & mask;
    while (load<i32>(grown + ((<usize>slot) << 2)) !== 0) slot = (slot + 1) & mask;
    store<i32>(grown + ((<usize>slot) << 2), number + 1);
  }
  slots = grown;
  slotMask = mask;
}
