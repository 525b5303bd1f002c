import type { Value } from './value.ts';

/** A name such as `password`, and what stands around it. */
export type PasswordName = {
  /** With the sign behind it: `password=`, `passwd: `. */
  text: string;
  /** What stands before it; '_' in `db_pass`. */
  before: string;
};

const SEPARATOR = /(\s*)(:=|=>|[:=])(\s*)$/;
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
 * Whether a word that could stand in any sentence is a password by its place alone: right behind `password=`, or behind
 * `password: ` and `password = ` where nothing but the word follows.
 * @param after the next characters behind the value, 32 at most
 */
export function isPlainPassword(name: PasswordName, { text }: Value, after: string): boolean {
  const [separator, space, sign, gap] = SEPARATOR.exec(name.text) ?? [];
  if (separator === undefined || /[\r\n]/.test(separator)) return false;
  if (!PLAIN_WORD.test(text) || VARIABLE.test(text) || STATE.test(text)) return false;
  // `pass` is a word of its own more often than a name, and `resetPassword: open` a call.
  if (/^pass[^a-z]/i.test(name.text) && !/[_-]/.test(name.before)) return false;
  if (sign === '=' && space === '' && gap === '') return true;
  return (sign === '=' || (sign === ':' && !/[A-Za-z]/.test(name.before))) && END.test(after);
}
