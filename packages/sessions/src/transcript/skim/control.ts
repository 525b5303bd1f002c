/**
 * Whether the range has a byte below 0x20. JSON that a program wrote has none: raw control characters are illegal inside strings, and
 * no writer puts tabs between tokens. `words` is a view of the same memory, four bytes at a time; without it the check goes byte by byte.
 */
export function hasControlByte(
  bytes: Uint8Array,
  words: Int32Array | undefined,
  start: number,
  end: number,
): boolean {
  let at = start;
  if (words !== undefined) {
    for (; at < end && (at & 3) !== 0; at++) if (bytes[at]! < 0x20) return true;
    const lastWord = end >> 2;
    let word = at >> 2;
    for (; word + 8 <= lastWord; word += 8) {
      const a = words[word]!;
      const b = words[word + 1]!;
      const c = words[word + 2]!;
      const d = words[word + 3]!;
      const e = words[word + 4]!;
      const f = words[word + 5]!;
      const g = words[word + 6]!;
      const h = words[word + 7]!;
      // (w - 0x20…) & ~w has a lane's top bit set where the byte is below 0x20, or where a lower lane borrowed from it: a borrow needs such a
      // byte to start from, so the word as a whole is never judged wrongly.
      const found =
        ((a - 0x20202020) & ~a) |
        ((b - 0x20202020) & ~b) |
        ((c - 0x20202020) & ~c) |
        ((d - 0x20202020) & ~d) |
        ((e - 0x20202020) & ~e) |
        ((f - 0x20202020) & ~f) |
        ((g - 0x20202020) & ~g) |
        ((h - 0x20202020) & ~h);
      if ((found & 0x80808080) !== 0) return true;
    }
    at = word << 2;
  }
  for (; at < end; at++) if (bytes[at]! < 0x20) return true;
  return false;
}
