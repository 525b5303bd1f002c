import { isMasked, isPlaceholder, maskPassword, maskToken } from './mask.ts';

const PASSWORD_NAMES = 'pass(?:word|wd|phrase|code)|pwd|(?<![A-Za-z])pass';
const KEY_NAMES =
  'secret|credentials?|api[_-]?key|(?:access|secret|private|auth|encryption|signing|master|account|deploy|license|service)[_-]?key';
const SEPARATOR = '\\\\{0,3}["\'`]?\\]?\\s{0,8}(?::=|=>|[:=])\\s{0,8}';
const ASSIGNMENT = new RegExp(`(?:(${PASSWORD_NAMES})|(${KEY_NAMES})|(token))${SEPARATOR}`, 'gi');
/** Environment variables called something_KEY, other than those that are known to name no secret. */
const KEY_VARIABLE = /(?<!PRIMARY|FOREIGN|PUBLIC|PARTITION|SORT|CACHE|HOST|API|ACCESS|SECRET|PRIVATE)_KEY=/g;
const FLAG = new RegExp(
  `(?<!-)--[a-z0-9-]{0,32}?(?:(${PASSWORD_NAMES})|(${KEY_NAMES})|(token))\\s{1,4}`,
  'gi',
);
const SENTENCE = /(?:(password|passcode|passphrase)|(api key|secret)|(token)) is:? {1,2}/gi;

const OPENING = /\\{0,3}["'`]/y;
const DECIDED_ON = 512;
const WORD = new RegExp(`[^\\s"'\`,;&<>]{1,${DECIDED_ON}}`, 'y');
const REST_OF_WORD = /[^\s"'`,;&<>]*/y;
const AFTER_A_WORD = '.!?:)]}\\';
const LONGEST_QUOTED = 8192;

type Value = { start: number; end: number; text: string; quoted: boolean };
type Name = { kind: 'password' | 'key' | 'token'; text: string };

export function redactAssignments(text: string): string {
  let result = replaceValues(text, ASSIGNMENT, isSecretValue);
  result = replaceValues(result, KEY_VARIABLE, isSecretValue);
  result = replaceValues(result, FLAG, (_name, value) => looksSecret(value.text));
  return replaceValues(
    result,
    SENTENCE,
    (_name, value) => looksSecret(value.text) && /[A-Za-z]/.test(value.text),
  );
}

function replaceValues(text: string, names: RegExp, isSecret: (name: Name, value: Value) => boolean): string {
  let out = '';
  let copied = 0;
  names.lastIndex = 0;
  for (let match = names.exec(text); match !== null; match = names.exec(text)) {
    const kind = match[1] !== undefined ? 'password' : match[3] !== undefined ? 'token' : 'key';
    const value = readValue(text, names.lastIndex);
    if (value === undefined || isMasked(value.text) || isPlaceholder(value.text)) continue;
    if (!isSecret({ kind, text: match[0] }, value)) continue;
    const end = value.quoted ? value.end : endOfWord(text, value);
    const secret = text.slice(value.start, end);
    out += text.slice(copied, value.start) + (kind === 'password' ? maskPassword(secret) : maskToken(secret));
    copied = end;
    names.lastIndex = end;
  }
  return out + text.slice(copied);
}

/** The quoted text or the word at `at`; of a very long word only its beginning, so that refusing it costs little. */
function readValue(text: string, at: number): Value | undefined {
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

function endOfWord(text: string, value: Value): number {
  if (value.text.length < DECIDED_ON) return value.end;
  REST_OF_WORD.lastIndex = value.end;
  REST_OF_WORD.test(text);
  return REST_OF_WORD.lastIndex;
}

function isSecretValue(name: Name, value: Value): boolean {
  if (value.quoted) {
    if (/\s/.test(value.text)) return /phrase/i.test(name.text);
    if (isCode(value.text)) return false;
    return name.kind !== 'token' || looksSecret(value.text) || value.text.length >= 16;
  }
  // NAME=value in capitals and without spaces is an environment variable: whatever follows is the value.
  if (/^[A-Z_-]+=$/.test(name.text)) return !isCode(value.text);
  if (name.kind === 'token' && /^[\d._]+$/.test(value.text)) return false;
  return looksSecret(value.text) || (name.kind === 'password' && isStrongPassword(value.text));
}

function looksSecret(text: string): boolean {
  return text.length >= 6 && /\d/.test(text) && !isCode(text);
}

function isStrongPassword(text: string): boolean {
  return text.length >= 6 && /[!@#%^&*~+]/.test(text) && /[A-Za-z]/.test(text) && !isCode(text);
}

/** A call, an index, an expression, a path, an address, or names joined by dots. */
function isCode(text: string): boolean {
  return (
    /[()[\]{}$|]|:\/\/|=[=>]?$|^[=!<>]/.test(text) ||
    /^[A-Za-z_]\w*(?:\??\.[A-Za-z_]\w*)+$/.test(text) ||
    /^(?:~|\.{0,2})\/[\w.-]+\//.test(text)
  );
}
