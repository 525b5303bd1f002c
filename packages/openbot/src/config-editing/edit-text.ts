/** Changes of single settings in the text of a JSON5 file. What is not changed stays as its author wrote it, byte for byte. */

import { isDeepStrictEqual } from 'node:util';
import {
  type ArrayNode,
  type DocumentNode,
  evaluate,
  type MemberNode,
  type ObjectNode,
  parse,
  type Token,
  type ValueNode,
} from '@humanwhocodes/momoa';
import { OpenBotError } from '@openbot/sessions';
import { type SettingPath, showSettingPath } from '../config/setting-path.ts';
import { detectStyle, type Style, writeKey, writeValue } from './text-style.ts';

type Branch = ObjectNode | ArrayNode;
type Item = MemberNode | ArrayNode['elements'][number];

interface Splice {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Throws a plain error, which says line and column, where the text is no JSON5. */
export function parseText(text: string): DocumentNode & { tokens: Token[] } {
  return parse(text, { mode: 'json5', ranges: true, tokens: true }) as DocumentNode & { tokens: Token[] };
}

/**
 * The text with the setting. Missing parents are made. A text that is empty counts as `{}`.
 * Throws USAGE where a parent is neither an object nor a list, or an index is behind the end of its list.
 */
export function setInText(text: string, path: SettingPath, value: unknown): string {
  if (text.trim() === '') return setInText(`${text.startsWith('\ufeff') ? '\ufeff' : ''}{}\n`, path, value);
  const document = parseText(text);
  const style = detectStyle(document, text);
  let at: ValueNode = document.body;
  let around = '';
  for (const [depth, part] of path.entries()) {
    const branch = asBranch(at, path, depth);
    const found = findItem(branch, part);
    if (found === undefined) {
      assertFits(branch, path, depth);
      const missing = path.slice(depth + 1);
      refuseGaps(missing, path, depth + 1);
      return splice(text, insertItem({ text, document, style, branch, part, value: wrap(missing, value) }));
    }
    at = found.value;
    around = text.slice(...branch.range!);
  }
  if (isDeepStrictEqual(evaluate(at), value)) return text;
  const [from, to] = at.range!;
  const indent = around.includes('\n') || path.length === 0 ? indentOfLine(text, from) : undefined;
  return splice(text, [{ from, to, text: writeValue(value, style, indent) }]);
}

/** The text without the setting; the same text where it has none. Comments around it stay. */
export function unsetInText(text: string, path: SettingPath): string {
  if (text.trim() === '' || path.length === 0) return text;
  const document = parseText(text);
  let at: ValueNode = document.body;
  for (const [depth, part] of path.entries()) {
    if (at.type !== 'Object' && at.type !== 'Array') return text;
    const item = findItem(at, part);
    if (item === undefined) return text;
    if (depth === path.length - 1) {
      const without = splice(text, removeItem(text, document, at, item));
      // A name that is there twice counts once, as its last value.
      return unsetInText(without, at.type === 'Object' ? path : []);
    }
    at = item.value;
  }
  return text;
}

/** Whether an object is there with nothing in it, not even a comment. */
export function isBareObject(text: string, path: SettingPath): boolean {
  const document = parseText(text);
  let at: ValueNode | undefined = document.body;
  for (const part of path) {
    at = at.type === 'Object' || at.type === 'Array' ? findItem(at, part)?.value : undefined;
    if (at === undefined) return false;
  }
  return at.type === 'Object' && isBlank(text.slice(at.range![0] + 1, at.range![1] - 1));
}

function asBranch(node: ValueNode, path: SettingPath, depth: number): Branch {
  if (node.type === 'Object' || node.type === 'Array') return node;
  const parent = showSettingPath(path.slice(0, depth));
  throw new OpenBotError('USAGE', `${parent} is a single value, so ${showSettingPath(path)} cannot be set`, {
    hint: depth === 0 ? 'The file must contain an object' : `Remove ${parent} first, or set it as a whole`,
  });
}

/** The last one of a name that is there twice, because that one counts. */
export function findItem(branch: Branch, part: string | number): Item | undefined {
  return branch.type === 'Object'
    ? branch.members.findLast(({ name }) => nameOf(name) === String(part))
    : branch.elements[typeof part === 'number' ? part : -1];
}

function assertFits(branch: Branch, path: SettingPath, depth: number): void {
  if (branch.type === 'Object') return;
  const list = showSettingPath(path.slice(0, depth));
  const part = path[depth]!;
  if (typeof part !== 'number') {
    throw new OpenBotError('USAGE', `${list} is a list, so it has no setting ${part}`, {
      hint: `Name one of its items: ${list}[0]`,
    });
  }
  if (part > branch.elements.length) throw behindTheEnd(list, branch.elements.length);
}

function nameOf(name: MemberNode['name']): string {
  return name.type === 'String' ? name.value : name.name;
}

function refuseGaps(missing: SettingPath, path: SettingPath, depth: number): void {
  const gap = missing.findIndex((part) => typeof part === 'number' && part > 0);
  if (gap >= 0) throw behindTheEnd(showSettingPath(path.slice(0, depth + gap)), 0);
}

function behindTheEnd(list: string, length: number): OpenBotError {
  return new OpenBotError('USAGE', `The list ${list} has ${length === 1 ? '1 item' : `${length} items`}`, {
    hint: `To add one: ${list}[${length}]`,
  });
}

/** `['a', 0]` and 1 are `{ a: [1] }`. */
function wrap(path: SettingPath, value: unknown): unknown {
  return path.reduceRight<unknown>(
    (inner, part) => (typeof part === 'number' ? [inner] : Object.fromEntries([[part, inner]])),
    value,
  );
}

function insertItem(params: {
  readonly text: string;
  readonly document: { readonly tokens: readonly Token[] };
  readonly style: Style;
  readonly branch: Branch;
  readonly part: string | number;
  readonly value: unknown;
}): Splice[] {
  const { text, document, style, branch, part, value } = params;
  const key = branch.type === 'Object' ? `${writeKey(String(part), style, branch)}: ` : '';
  const items: readonly Item[] = branch.type === 'Object' ? branch.members : branch.elements;
  const [start, end] = branch.range!;
  const close = end - 1;
  const before = document.tokens.findLast((token) => token.range![1] <= close)!;
  const last = items.at(-1);
  const comma = last === undefined ? undefined : findComma(document.tokens, rangeOf(last)[1], close);
  const isInline = last !== undefined && !text.slice(start, close).includes('\n');
  const splices: Splice[] = [];
  if (last !== undefined && comma === undefined) {
    splices.push({ from: rangeOf(last)[1], to: rangeOf(last)[1], text: ',' });
  }
  const after = comma === undefined ? '' : ',';
  if (isInline) {
    const from = before.range![1];
    splices.push({ from, to: from, text: ` ${key}${writeValue(value, style, undefined)}${after}` });
    return splices;
  }
  const outer = indentOfLine(text, start);
  const indent = last === undefined ? outer + style.indent : indentOfLine(text, rangeOf(last)[0]);
  const line = `${style.newline}${indent}${key}${writeValue(value, style, indent)}${after}`;
  const from = before.range![1];
  // An empty `{}`, or a bracket behind the last item of several lines: the bracket gets a line of its own.
  const isOnLine = !text.slice(from, close).includes('\n');
  splices.push(
    isOnLine ? { from, to: close, text: `${line}${style.newline}${outer}` } : { from, to: from, text: line },
  );
  return splices;
}

/** The item and one comma: that behind it, else that before it. */
function removeItem(
  text: string,
  { tokens }: { readonly tokens: readonly Token[] },
  branch: Branch,
  item: Item,
): Splice[] {
  const items: readonly Item[] = branch.type === 'Object' ? branch.members : branch.elements;
  const before = items[items.indexOf(item) - 1];
  const [from, to] = rangeOf(item);
  const comma =
    findComma(tokens, to, branch.range![1] - 1) ??
    (before === undefined ? undefined : findComma(tokens, rangeOf(before)[1], from));
  if (comma === undefined) return [withoutGap(text, from, to)];
  const [commaFrom, commaTo] = comma.range!;
  if (commaFrom < from) {
    // The line of the item goes with it, or it is a gap behind a comment.
    return isBlank(text.slice(commaTo, from))
      ? [{ from: commaFrom, to, text: '' }]
      : [{ from: commaFrom, to: commaTo, text: '' }, withoutGap(text, from, to)];
  }
  return isBlank(text.slice(to, commaFrom))
    ? [withoutGap(text, from, commaTo)]
    : [
        { from, to, text: '' },
        { from: commaFrom, to: commaTo, text: '' },
      ];
}

/** With the white space that would be left: whole lines that have nothing else, or the gap in a line. */
function withoutGap(text: string, from: number, to: number): Splice {
  const start = text.lastIndexOf('\n', from - 1) + 1;
  const end = text.indexOf('\n', to);
  if (start > 0 && end >= 0 && isBlank(text.slice(start, from)) && isBlank(text.slice(to, end))) {
    return { from: start, to: end + 1, text: '' };
  }
  return { from, to: to + /^[ \t]*/.exec(text.slice(to))![0].length, text: '' };
}

/** The parser gives an element of a list none of its own. */
function rangeOf(item: Item): readonly [number, number] {
  return (item.type === 'Element' ? item.value : item).range!;
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}

function findComma(tokens: readonly Token[], from: number, to: number): Token | undefined {
  return tokens.find(({ type, range }) => type === 'Comma' && range![0] >= from && range![1] <= to);
}

function splice(text: string, splices: readonly Splice[]): string {
  let done = 0;
  let result = '';
  for (const { from, to, text: replacement } of splices) {
    result += text.slice(done, from) + replacement;
    done = to;
  }
  return result + text.slice(done);
}

function indentOfLine(text: string, at: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', at - 1) + 1))![0];
}
