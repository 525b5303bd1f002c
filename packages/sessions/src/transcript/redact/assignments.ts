import {
  endOfValue,
  isMasked,
  isPlaceholder,
  maskPassword,
  maskToken,
  readValue,
  type Value,
} from './mask.ts';

const PASSWORD_NAMES = 'pass(?:word|wd|phrase|code)|pwd|(?<![A-Za-z])pass';
const KEY_NAMES =
  'secret|credentials?|api[_ -]?key|(?:access|secret|private|auth|encryption|signing|master|account|deploy|license|service)[_ -]?key';
const SEPARATOR = '\\\\{0,3}["\'`]?\\]?\\s{0,8}(?::=|=>|[:=])\\s{0,8}';
const ASSIGNMENT = new RegExp(`(?:(${PASSWORD_NAMES})|(${KEY_NAMES})|(token))${SEPARATOR}`, 'gi');
/** Environment variables called something_KEY, other than those that are known to name no secret. */
const KEY_VARIABLE = /(?<!PRIMARY|FOREIGN|PUBLIC|PARTITION|SORT|CACHE|HOST|API|ACCESS|SECRET|PRIVATE)_KEY=/g;
const FLAG = new RegExp(
  `(?<!-)--[a-z0-9-]{0,32}?(?:(${PASSWORD_NAMES})|(${KEY_NAMES})|(token))\\s{1,4}`,
  'gi',
);
const SENTENCE = new RegExp(`(?:(password|passcode|passphrase)|(${KEY_NAMES})|(token)) is:? {1,2}`, 'gi');
/** Nothing but a space between the name and the value, as people type it. */
const BESIDE = new RegExp(
  `(?<![A-Za-z])(?:(password|passcode|passphrase)|(${KEY_NAMES}|key)|(token)) {1,2}(?=[^\\s"'\`])`,
  'gi',
);

interface Name extends PasswordName {
  kind: 'password' | 'key' | 'token';
}
type IsSecret = (name: Name, value: Value, after: string) => boolean;

const LOOKED_BEHIND = 32;

/** Every name has one of these in it. */
const ANY_NAME = /pass|pwd|secret|credential|key|token/i;

export function redactAssignments(text: string): string {
  if (!ANY_NAME.test(text)) return text;
  let result = replaceValues(text, ASSIGNMENT, isSecretValue);
  result = replaceValues(result, KEY_VARIABLE, isSecretValue);
  result = replaceValues(result, FLAG, (_name, value) => looksSecret(value.text));
  result = replaceValues(
    result,
    SENTENCE,
    (_name, value) => looksSecret(value.text) && /[A-Za-z]/.test(value.text),
  );
  return replaceValues(result, BESIDE, ({ kind }, { text: value }) =>
    kind === 'password' ? isPlainlyPassword(value) : isRandom(value),
  );
}

function replaceValues(text: string, names: RegExp, isSecret: IsSecret): string {
  let out = '';
  let copied = 0;
  names.lastIndex = 0;
  for (let match = names.exec(text); match !== null; match = names.exec(text)) {
    const kind = match[1] !== undefined ? 'password' : match[3] !== undefined ? 'token' : 'key';
    const value = readValue(text, names.lastIndex);
    if (value === undefined || isMasked(value.text) || isPlaceholder(value.text)) continue;
    const before = text[match.index - 1] ?? '';
    const after = text.slice(value.end, value.end + LOOKED_BEHIND);
    if (!isSecret({ kind, text: match[0], before }, value, after)) continue;
    const end = endOfValue(text, value);
    const secret = text.slice(value.start, end);
    out += text.slice(copied, value.start) + (kind === 'password' ? maskPassword(secret) : maskToken(secret));
    copied = end;
    names.lastIndex = end;
  }
  return out + text.slice(copied);
}

function isSecretValue(name: Name, value: Value, after: string): boolean {
  if (value.quoted) {
    if (/\s/.test(value.text)) return /phrase/i.test(name.text);
    if (isCode(value.text)) return false;
    return name.kind !== 'token' || looksSecret(value.text) || value.text.length >= 16;
  }
  // NAME=value in capitals and without spaces is an environment variable: whatever follows is the value.
  if (/^[A-Z_-]+=$/.test(name.text)) return !isCode(value.text);
  if (name.kind === 'token' && /^[\d._]+$/.test(value.text)) return false;
  if (name.kind === 'password' ? isCount(name, value.text) : isProse(value.text)) return false;
  if (looksSecret(value.text)) return true;
  return name.kind === 'password' && (isStrongPassword(value.text) || isPlainPassword(name, value, after));
}

function looksSecret(text: string): boolean {
  return text.length >= 6 && /\d/.test(text) && !isCode(text);
}

/** Behind the word `pass` alone a figure is more often one of tests than a password. */
function isCount(name: Name, text: string): boolean {
  return /^pass[^a-z]/i.test(name.text) && !/[_-]/.test(name.before) && !/[A-Za-z]/.test(text);
}

/** What people write behind the word for a key without giving one away: a date, a size, an algorithm. */
function isProse(text: string): boolean {
  return (
    /^\d{1,4}([-/.])\d{1,2}\1\d{1,4}(?:[T_][\d:.]{1,12}Z?)?$/.test(text) ||
    /^\d{1,5}-?bits?$/i.test(text) ||
    /^(?:rsa|dsa|ecdsa|ed|aes|sha|secp|hmac|curve|x)[-_]?\d{2,5}[a-z\d-]{0,10}$/i.test(text)
  );
}

function isStrongPassword(text: string): boolean {
  return text.length >= 6 && /[!@#%^&*~+]/.test(text) && /[A-Za-z]/.test(text) && !isCode(text);
}

/** What no word of a sentence looks like: digits inside it, or a year or more behind letters. */
function isPlainlyPassword(text: string): boolean {
  if (!/^[\x21-\x7e]{6,64}$/.test(text) || isCode(text) || isProse(text) || NUMBERED.test(text)) return false;
  return /[A-Za-z]\d{1,8}[A-Za-z]|[A-Za-z][!@#%^&*~+]?\d{4,8}/.test(text);
}

const NUMBERED = /^(?:rfc|iso|cve|issue|pr|bug|base|ticket|[A-Z]{2,10}-)/i;

/** Without the groups of a uuid or the words of a name: hexadecimal digits, or all kinds of characters mixed. */
function isRandom(text: string): boolean {
  if (/^[0-9a-f]{20,128}$/i.test(text)) return /\d/.test(text) && /[a-f]/i.test(text);
  return (
    /^[A-Za-z0-9+/=_]{20,256}$/.test(text) &&
    /\d/.test(text) &&
    /[a-z]\d*[A-Z]+\d*[a-z]/.test(text) &&
    !isCode(text)
  );
}

/** A call, an index, an expression, a path, the name of a key file, an address, or names joined by dots. */
function isCode(text: string): boolean {
  return (
    /[()[\]{}$|]|:\/\/|=[=>]?$|^[=!<>]/.test(text) ||
    /^[A-Za-z_]\w*(?:\??\.[A-Za-z_]\w*)+$/.test(text) ||
    /^(?:~|\.{0,2})\/[\w.-]+\//.test(text) ||
    /^id_[a-z\d]{1,12}$|^[\w-]{1,64}\.(?:pem|key|crt|cer|p8|p12|pfx|json)$/i.test(text)
  );
}

/** A name such as `password`, and the text around it. */
interface PasswordName {
  /** With the sign behind it: `password=`, `passwd: `. */
  text: string;
  /** The text before it; '_' in `db_pass`. */
  before: string;
}

const PLAIN_SEPARATOR = /(\s*)(:=|=>|[:=])(\s*)$/;
const PLAIN_WORD = /^[\p{L}\p{N}][\p{L}\p{N}_-]{3,63}$/u;
/** `user_password`, `hashedPassword`: the name of a variable that holds it. */
const VARIABLE =
  /(?:^|[_.-])(?:pass|passwd|password|pwd|secret|token|hash)$|[a-z](?:Pass|Passwd|Password|Pwd|Secret|Token|Hash)$/;
/** What is said of a password, in a message or a form. */
const STATE =
  /^(?:accepted|changed|correct|default|disabled|empty|enabled|encrypted|expired|field|files|forgotten|hashed|hidden|incorrect|invalid|masked|mismatch|missing|protected|rejected|reset|saved|strong|unchanged|unknown|unset|valid|weak|wrong)$/i;
/** The end of a line, or a comma within one. A comma at its end is that of code. */
const END = /^[.!?)\]}]{0,8}(?:[ \t]{0,8}(?:\r?\n|$)|[,;] {1,2}\S)/;

/**
 * Whether a word that any sentence could contain is a password by its position alone: right behind `password=`, or behind
 * `password: ` and `password = ` where nothing but the word follows.
 * @param after the next characters behind the value, 32 at most
 */
function isPlainPassword(name: PasswordName, { text }: Value, after: string): boolean {
  const [separator, space, sign, gap] = PLAIN_SEPARATOR.exec(name.text) ?? [];
  if (separator === undefined || /[\r\n]/.test(separator)) return false;
  if (!PLAIN_WORD.test(text) || VARIABLE.test(text) || STATE.test(text)) return false;
  // `pass` is a word of its own more often than a name, and `resetPassword: open` a call.
  if (/^pass[^a-z]/i.test(name.text) && !/[_-]/.test(name.before)) return false;
  if (sign === '=' && space === '' && gap === '') return true;
  return (sign === '=' || (sign === ':' && !/[A-Za-z]/.test(name.before))) && END.test(after);
}
