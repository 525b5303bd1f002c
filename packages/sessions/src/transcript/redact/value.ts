const OPENING = /\\{0,3}["'`]/y;
const DECIDED_ON = 512;
const WORD = new RegExp(`[^\\s"'\`,;&<>]{1,${DECIDED_ON}}`, 'y');
const REST_OF_WORD = /[^\s"'`,;&<>]*/y;
const AFTER_A_WORD = '.!?:)]}\\';
const LONGEST_QUOTED = 8192;

export type Value = { start: number; end: number; text: string; quoted: boolean };

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
