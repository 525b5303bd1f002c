export const MASK = '***';

const SHOWN_FROM = 18;
const PARTLY_SHOWN = /^[\x21-\x7e]{6}…[\x21-\x7e]{4}$/;

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
  /^(?:[<$%{[(]|your[-_ ]|my[-_](?:api|secret|token)|process\.env|os\.(?:environ|getenv)|import\.meta|x{3,}$|\.{2,}$|…|\*+$)/i;
const WORD_OF_CODE =
  /^(?:true|false|null|none|nil|undefined|string|str|number|int|integer|boolean|bool|any|unknown|object|required|optional|redacted|password|token|secret)$/i;

/** Stands for a value instead of being one: `$API_KEY`, `<your key>`, `process.env.X`, `string`. */
export function isPlaceholder(value: string): boolean {
  return PLACEHOLDER.test(value) || WORD_OF_CODE.test(value);
}
