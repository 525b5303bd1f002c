const BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const HIDDEN = '…redacted…';
const END = '-----END ';
const END_LINE = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y;
const LONGEST_KEY = 65_536;
/**
 * The body of a key whose end is missing: lines such as Proc-Type, then long words of base64, with real or written-out
 * line ends between.
 */
const BODY_WITHOUT_END =
  /(?:(?:(?:\s|\\[nr])+[A-Z][A-Za-z-]{1,40}: [^\r\n\\]{1,200}(?=[\r\n\\])){0,8}(?:(?:\s|\\[nr])*[A-Za-z0-9+/=]{16,})+)?/y;

export function redactPrivateKeys(text: string): string {
  let out = '';
  let copied = 0;
  let nextEnd = -1;
  BEGIN.lastIndex = 0;
  for (let begin = BEGIN.exec(text); begin !== null; begin = BEGIN.exec(text)) {
    const body = BEGIN.lastIndex;
    // Looked up once and kept, so that many beginnings without an end stay linear.
    if (nextEnd !== text.length && nextEnd < body) {
      nextEnd = text.indexOf(END, body);
      if (nextEnd < 0) nextEnd = text.length;
    }
    END_LINE.lastIndex = nextEnd;
    const closed = nextEnd - body <= LONGEST_KEY && END_LINE.test(text);
    let end = nextEnd;
    if (!closed) {
      BODY_WITHOUT_END.lastIndex = body;
      BODY_WITHOUT_END.test(text);
      end = BODY_WITHOUT_END.lastIndex;
      if (end === body) continue;
    }
    out += text.slice(copied, body) + HIDDEN;
    copied = end;
    BEGIN.lastIndex = end;
  }
  return out + text.slice(copied);
}
