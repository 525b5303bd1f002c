import { indexMembers, parseDocument, parseObject, type StoreDocument, scanMembers } from './document.ts';

/**
 * Reads a store of which an earlier version is known. Only what lies between the first and the last difference is
 * parsed; entries outside it are the same objects as before. Just as strict as reading it all.
 */
export function reparseDocument(known: StoreDocument, content: Buffer, path: string): StoreDocument {
  const same = commonPrefix(known.bytes, content);
  if (same === content.length && same === known.bytes.length) return known;
  const sameEnd = commonSuffix(known.bytes, content, same);
  const count = known.members.length;
  // A member counts as untouched only with the byte after it: a number could go on.
  let head = 0;
  while (head < count && known.ends[head]! < same) head++;
  let tail = count;
  while (tail > head && known.starts[tail - 1]! >= known.bytes.length - sameEnd) tail--;
  if (!known.regular || head + count - tail < count / 2) return parseDocument(content, path);

  const from = head === 0 ? 0 : known.ends[head - 1]!;
  const shift = content.length - known.bytes.length;
  const to = tail === count ? content.length : known.starts[tail]! + shift;
  // What lies between is valid exactly when it is valid between two members in place of the untouched ones.
  const before = Buffer.from(head === 0 ? '' : '{"":0');
  const after = Buffer.from(tail === count ? '' : '"":0}');
  const middle = Buffer.concat([before, content.subarray(from, to), after]);
  let value: { [key: string]: unknown };
  try {
    value = parseObject(middle, path);
  } catch {
    return parseDocument(content, path);
  }
  const spans = scanMembers(middle);
  const first = head === 0 ? 0 : 1;
  const last = spans.keys.length - (tail === count ? 0 : 1);
  if (spans.keys.slice(first, last).includes('')) return parseDocument(content, path);
  const members = known.members.slice(0, head);
  const starts = known.starts.slice(0, head);
  const ends = known.ends.slice(0, head);
  for (let i = first; i < last; i++) {
    const key = spans.keys[i]!;
    members.push({ key, value: value[key] });
    starts.push(spans.starts[i]! - before.length + from);
    ends.push(spans.ends[i]! - before.length + from);
  }
  for (let i = tail; i < count; i++) {
    members.push(known.members[i]!);
    starts.push(known.starts[i]! + shift);
    ends.push(known.ends[i]! + shift);
  }
  return indexMembers(content, members, starts, ends);
}

const CHUNK = 65_536;

function commonPrefix(a: Buffer, b: Buffer): number {
  const length = Math.min(a.length, b.length);
  let at = 0;
  for (; at < length; at += CHUNK) {
    const end = Math.min(at + CHUNK, length);
    if (a.compare(b, at, end, at, end) !== 0) break;
  }
  while (at < length && a[at] === b[at]) at++;
  return Math.min(at, length);
}

function commonSuffix(a: Buffer, b: Buffer, prefix: number): number {
  const length = Math.min(a.length, b.length) - prefix;
  let count = 0;
  for (; count < length; count += CHUNK) {
    const end = Math.min(count + CHUNK, length);
    if (a.compare(b, b.length - end, b.length - count, a.length - end, a.length - count) !== 0) break;
  }
  count = Math.min(count, length);
  while (count < length && a[a.length - 1 - count] === b[b.length - 1 - count]) count++;
  return count;
}
