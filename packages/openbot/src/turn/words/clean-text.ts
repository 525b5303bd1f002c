/** Nearly every text is of these alone, and needs no closer look. */
const ORDINARY = /^[\t\n\x20-\x7e]*$/;

/** England, Scotland and Wales are written with tag characters, which could otherwise spell out a hidden text. */
const TAGGED_FLAG = /\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{3,6}\u{e007f}/u;
const LINE_END = /\r\n|[\r\v\f\x85\u2028\u2029]/gu;
const CONTROL = /[\p{Cc}--[\t\n]]/v;
const TAG = new RegExp(`(${TAGGED_FLAG.source})|[\\u{e0000}-\\u{e007f}]`, 'gu');

/**
 * Text from outside with `\n` as its only line end and without characters that act instead of being read. Control
 * characters become their picture (`␛`), or `�` where Unicode has none. Tabs stay.
 */
export function cleanText(text: string): string {
  if (ORDINARY.test(text)) return text;
  const lines = text.replace(LINE_END, '\n').replace(TAG, (_, flag?: string) => flag ?? '�');
  return (CONTROL.test(lines) ? drawControls(lines) : lines).toWellFormed();
}

/** Each is one unit before and after. A callback for each would take seconds for a message of nothing else. */
function drawControls(text: string): string {
  const bytes = Buffer.from(text, 'utf16le');
  const units = new Uint16Array(bytes.buffer, bytes.byteOffset, text.length);
  for (let at = 0; at < units.length; at++) {
    const unit = units[at]!;
    if (unit < 0x20) {
      if (unit !== 0x09 && unit !== 0x0a) units[at] = 0x2400 + unit;
    } else if (unit === 0x7f) units[at] = 0x2421;
    else if (unit >= 0x80 && unit < 0xa0) units[at] = 0xfffd;
  }
  return bytes.toString('utf16le');
}
