export const MASK = '***';

const SHOWN_FROM = 18;
const PARTLY_SHOWN = /^[\x21-\x7e]{6}\u2026[\x21-\x7e]{4}$/;

/** Long tokens keep their first six and last four characters, enough to tell which key it was; the rest is hidden whole. */
export function maskToken(value: string): string {
  if (isMasked(value)) return value;
  if (value.length < SHOWN_FROM || !/^[\x21-\x7e]*$/.test(value)) return MASK;
  return `${value.slice(0, 6)}…${value.slice(-4)}`;
}

/** A password is never shown in part: what people choose can be guessed from its ends. */
export function maskPassword(value: string): string {
  return isMasked(value) ? value : MASK;
}

export function isMasked(value: string): boolean {
  return value === MASK || PARTLY_SHOWN.test(value);
}

const PLACEHOLDER =
  /^(?:[<$%{[(]|your[-_ ]|my[-_](?:api|secret|token)|process\.env|os\.(?:environ|getenv)|import\.meta|x{3,}$|\.{2,}$|\u2026|\*+$)/i;
const WORD_OF_CODE =
  /^(?:true|false|null|none|nil|undefined|string|str|number|int|integer|boolean|bool|any|unknown|object|required|optional|redacted|password|token|secret)$/i;

/** A placeholder for a value: `$API_KEY`, `<your key>`, `process.env.X`, `string`. */
export function isPlaceholder(value: string): boolean {
  return PLACEHOLDER.test(value) || WORD_OF_CODE.test(value);
}

const OPENING = /\\{0,3}["'`]/y;
const DECIDED_ON = 512;
const WORD = new RegExp(`[^\\s"'\`,;&<>]{1,${DECIDED_ON}}`, 'y');
const REST_OF_WORD = /[^\s"'`,;&<>]*/y;
const AFTER_A_WORD = '.!?:)]}\\';
const LONGEST_QUOTED = 8192;

export interface Value {
  start: number;
  end: number;
  text: string;
  quoted: boolean;
}

/** The quoted text or the word at `at`; of a very long word only its beginning, so that refusing it costs little. */
export function readValue(text: string, at: number): Value | undefined {
  OPENING.lastIndex = at;
  const opening = OPENING.exec(text)?.[0];
  if (opening !== undefined) {
    const start = at + opening.length;
    const window = text.slice(start, start + LONGEST_QUOTED);
    const length = window.indexOf(opening);
    const content = window.slice(0, Math.max(length, 0));
    if (length >= 0 && !content.includes('\n')) {
      return length === 0 ? undefined : { start, end: start + length, text: content, quoted: true };
    }
    return readWord(text, start);
  }
  return readWord(text, at);
}

function readWord(text: string, start: number): Value | undefined {
  WORD.lastIndex = start;
  const word = WORD.exec(text)?.[0];
  if (word === undefined) return undefined;
  let length = word.length;
  while (length > 0 && AFTER_A_WORD.includes(word[length - 1]!)) length--;
  return length === 0
    ? undefined
    : { start, end: start + length, text: word.slice(0, length), quoted: false };
}

/** Where a value ends that was found to be a secret, however long it is. */
export function endOfValue(text: string, value: Value): number {
  if (value.quoted || value.text.length < DECIDED_ON) return value.end;
  REST_OF_WORD.lastIndex = value.end;
  REST_OF_WORD.test(text);
  return REST_OF_WORD.lastIndex;
}
