import { redactSecrets } from '@openbot/sessions';

const HIDDEN = '…redacted…';
const KEY_MARK = /-----(BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const LONGEST_KEY = 65_536;
/** How a line begins that may be one of a key whose end is missing. */
const KEY_LINE = /^[ \t>]*(?:[A-Za-z0-9+/=]{16}|[A-Z][A-Za-z-]{1,40}: |$)/;

/** A note without secrets, in which every line is where it was. */
export function redactNote(text: string): string {
  return redactSecrets(hidePrivateKeys(text));
}

/** Keys are the secrets that take several lines: each of their lines is hidden on its own. */
function hidePrivateKeys(text: string): string {
  let out = '';
  let copied = 0;
  let begin: number | undefined;
  for (const { 0: mark, 1: kind, index } of text.matchAll(KEY_MARK)) {
    if (begin !== undefined && (kind === 'BEGIN' || index - begin > LONGEST_KEY)) {
      out += text.slice(copied, begin) + hideOpenKey(text.slice(begin, index));
      copied = index;
      begin = undefined;
    }
    if (kind === 'BEGIN') begin = index;
    else if (begin !== undefined) {
      const end = index + mark.length;
      out += text.slice(copied, begin) + hideLines(text.slice(begin, end));
      copied = end;
      begin = undefined;
    }
  }
  if (begin === undefined) return out + text.slice(copied);
  return out + text.slice(copied, begin) + hideOpenKey(text.slice(begin));
}

function hideLines(text: string): string {
  return text.replace(/[^\r\n]+/g, HIDDEN);
}

/** The line that begins it, and those after it that look like a part of it. */
function hideOpenKey(text: string): string {
  const lines = text.split(/(?<=\r\n|\n|\r(?!\n))/);
  const after = lines.findIndex((line, at) => at > 0 && !KEY_LINE.test(line.replace(/[\r\n]+$/, '')));
  const count = after < 0 ? lines.length : after;
  return hideLines(lines.slice(0, count).join('')) + lines.slice(count).join('');
}
