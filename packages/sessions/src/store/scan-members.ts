/** Where each member (`"key": value`) of a JSON object begins and ends. */
export interface MemberSpans {
  keys: string[];
  starts: number[];
  ends: number[];
}

const [QUOTE, BACKSLASH, COLON] = [0x22, 0x5c, 0x3a];

/** Finds the members of the outermost object. The bytes must be known to be valid JSON: nothing is checked again. */
export function scanMembers(bytes: Buffer): MemberSpans {
  const spans: MemberSpans = { keys: [], starts: [], ends: [] };
  let at = skipSpace(bytes, 0) + 1;
  for (;;) {
    at = skipSpace(bytes, at);
    if (bytes[at] !== QUOTE) return spans;
    const keyEnd = endOfString(bytes, at);
    spans.starts.push(at);
    spans.keys.push(JSON.parse(bytes.toString('utf8', at, keyEnd)));
    at = skipSpace(bytes, keyEnd);
    if (bytes[at] === COLON) at++;
    at = endOfValue(bytes, skipSpace(bytes, at));
    spans.ends.push(at);
    // Past the comma, or the closing bracket after which no key follows.
    at = skipSpace(bytes, at) + 1;
  }
}

function skipSpace(bytes: Buffer, from: number): number {
  let at = from;
  while ((bytes[at] ?? 0x21) <= 0x20) at++;
  return at;
}

function endOfString(bytes: Buffer, from: number): number {
  let at = from + 1;
  for (;;) {
    const byte = bytes[at];
    if (byte === QUOTE || byte === undefined) return at + 1;
    at += byte === BACKSLASH ? 2 : 1;
  }
}

function endOfValue(bytes: Buffer, from: number): number {
  let at = from;
  let depth = 0;
  for (;;) {
    switch (bytes[at]) {
      case QUOTE:
        at = endOfString(bytes, at);
        if (depth === 0) return at;
        break;
      case 0x7b:
      case 0x5b:
        depth++;
        at++;
        break;
      case 0x7d:
      case 0x5d:
        if (depth === 0) return at;
        at++;
        if (--depth === 0) return at;
        break;
      case 0x2c:
      case 0x20:
      case 0x0a:
      case 0x0d:
      case 0x09:
      case undefined:
        if (depth === 0) return at;
        at++;
        break;
      default:
        at++;
    }
  }
}
