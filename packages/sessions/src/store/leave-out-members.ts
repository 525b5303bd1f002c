/**
 * A store without some fields of its entries, which are most of its bytes: `null` is in their place. Undefined where
 * the layout is not the one that OpenClaw and we write, two blanks for each level: there a field of an entry, and the end of
 * its value, are found by their blanks alone, since no line end can be inside of a JSON text.
 */
export function leaveOutMembers(content: Buffer, names: readonly string[]): Buffer | undefined {
  if (names.length === 0 || !content.subarray(0, LAYOUT.length).equals(LAYOUT)) return undefined;
  const openings = names.map((name) => Buffer.from(`${MEMBER}${JSON.stringify(name)}: {\n`));
  const common = openings.reduce<Buffer>(shareStart, openings[0]!);
  // Never larger than the content; what is not written of it takes no memory.
  const rest = Buffer.allocUnsafe(content.length);
  let length = 0;
  let done = 0;
  const keepUntil = (end: number) => {
    length += content.copy(rest, length, done, end);
  };
  // Every byte is looked at once, for a short text: that is what the search is fastest at.
  for (let at = content.indexOf(common); at >= 0; at = content.indexOf(common, at + 1)) {
    const opening = openings.find((one) => content.subarray(at, at + one.length).equals(one));
    if (opening === undefined) continue;
    const value = at + opening.length - 2;
    const end = content.indexOf(OBJECT_END, value);
    if (end < 0) return undefined;
    keepUntil(value);
    length += NOTHING.copy(rest, length);
    done = end + OBJECT_END.length;
    at = end;
  }
  if (done === 0) return undefined;
  keepUntil(content.length);
  return rest.subarray(0, length);
}

const LAYOUT = Buffer.from('{\n  "');
const NOTHING = Buffer.from('null');
const MEMBER = '\n    ';
const OBJECT_END = Buffer.from('\n    }');

function shareStart(one: Buffer, other: Buffer): Buffer {
  let end = 0;
  while (end < one.length && one[end] === other[end]) end++;
  return one.subarray(0, end);
}
