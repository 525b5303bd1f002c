/** How the author of a JSON5 file writes it, so that what is added looks like the rest. */
import type { DocumentNode, ObjectNode, Token } from '@humanwhocodes/momoa';

export interface Style {
  /** Of one level. */
  readonly indent: string;
  readonly newline: string;
  /** Around names; empty where they have none. */
  readonly keyQuote: '"' | "'" | '';
  readonly quote: '"' | "'";
}

const WIDEST_LIST = 80;

/** Without an example it is plain JSON, which every editor takes for the contents of a `.json`. */
export function detectStyle(document: DocumentNode & { tokens: readonly Token[] }, text: string): Style {
  const { tokens } = document;
  const isKey = (index: number) =>
    tokens.slice(index + 1).find(({ type }) => !type.endsWith('Comment'))?.type === 'Colon';
  const key = tokens.find(({ type }, index) => (type === 'String' || type === 'Identifier') && isKey(index));
  const value = tokens.find(({ type }, index) => type === 'String' && !isKey(index));
  const keyQuote = quoteOf(text, key);
  return {
    indent: /\n([ \t]+)[^\s/]/.exec(text)?.[1] ?? '  ',
    newline: text.includes('\r\n') ? '\r\n' : '\n',
    keyQuote,
    quote: value === undefined ? keyQuote || (key === undefined ? '"' : "'") : quoteOf(text, value) || '"',
  };
}

function quoteOf(text: string, token: Token | undefined): '"' | "'" | '' {
  if (token === undefined) return '"';
  const first = text[token.range![0]];
  return first === '"' || first === "'" ? first : '';
}

/** As its neighbours in the object are written. */
export function writeKey(
  name: string,
  style: Style,
  { members }: Pick<ObjectNode, 'members'> = { members: [] },
): string {
  const last = members.at(-1)?.name;
  const isQuoted = last === undefined ? style.keyQuote !== '' : last.type === 'String';
  // JSON5 has more names than these, and they may be quoted too.
  if (!isQuoted && /^[A-Za-z_$][\w$]*$/.test(name) && !RESERVED.has(name)) return name;
  return quote(name, style.keyQuote || style.quote);
}

const RESERVED = new Set(['null', 'true', 'false', 'Infinity', 'NaN']);

/** @param indent of the line on which it begins; absent for all on one line */
export function writeValue(value: unknown, style: Style, indent: string | undefined): string {
  if (typeof value === 'string') return quote(value, style.quote);
  if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? '-0' : String(value);
  const parts = Array.isArray(value)
    ? value.map((item) => ['', item] as const)
    : Object.entries(value).map(([name, item]) => [`${writeKey(name, style)}: `, item] as const);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  if (parts.length === 0) return `${open}${close}`;
  const line = () => parts.map(([key, item]) => key + writeValue(item, style, undefined)).join(', ');
  const isPlain = Array.isArray(value) && value.every((item) => typeof item !== 'object' || item === null);
  if (indent === undefined) return Array.isArray(value) ? `[${line()}]` : `{ ${line()} }`;
  if (isPlain && line().length <= WIDEST_LIST) return `[${line()}]`;
  const inner = indent + style.indent;
  const rows = parts.map(([key, item]) => inner + key + writeValue(item, style, inner));
  return [open, rows.join(`,${style.newline}`), indent + close].join(style.newline);
}

function quote(text: string, mark: '"' | "'"): string {
  const json = JSON.stringify(text).replace(
    /[\u2028\u2029]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16)}`,
  );
  return mark === '"' ? json : `'${json.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}
