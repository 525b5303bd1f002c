import { splitSystemPart } from '../system-part.ts';
import { HEAD_LENGTH, NULL_REF, type ShapeNode, type SkimmedLine } from './shape.ts';

/**
 * Takes from a parsed value what a shape names. The reference for `Skimmer`, and its way out for lines that are
 * unusual: both must always take the same.
 */
export function pick(value: unknown, node: ShapeNode, into: SkimmedLine): void {
  if (node.leaf !== undefined) pickLeaf(value, node, into);
  if (value === null || typeof value !== 'object') return;
  if (Array.isArray(value)) {
    const { element } = node;
    if (element === undefined) return;
    for (const item of value) {
      if (element.opensRow) {
        if (item === null || typeof item !== 'object' || Array.isArray(item)) continue;
        into.openRow();
      }
      pick(item, element, into);
    }
    return;
  }
  if (node.byLength === undefined) return;
  for (const [name, member] of Object.entries(value)) {
    const child = node.byLength[name.length]?.find((key) => key.name === name);
    if (child !== undefined) pick(member, child.node, into);
  }
}

function pickLeaf(value: unknown, node: ShapeNode, into: SkimmedLine): void {
  switch (node.leaf) {
    case 'text':
      if (typeof value === 'string' || value === null) into.put(node, value);
      return;
    case 'ref':
      if (typeof value === 'string') into.put(node, into.strings.internText(value));
      else if (value === null) into.put(node, NULL_REF);
      return;
    case 'scalar':
      if (value === null || typeof value !== 'object') into.put(node, value);
      return;
    case 'number':
      if (typeof value === 'number') into.put(node, value);
      return;
    case 'flag':
      if (value === true) into.put(node, true);
      return;
    case 'present':
      into.put(node, true);
      return;
    case 'size':
      if (typeof value === 'string') into.put(node, value.length);
      return;
    case 'head':
      if (typeof value !== 'string') return;
      into.put(node, value.length);
      putHead(node, into, value, () => value);
      return;
    case 'sum':
      if (typeof value === 'string') add(node, into, value.length);
      return;
    case 'count':
      add(node, into, 1);
      return;
    case 'weight':
      into.put(node, weigh(value));
      return;
    case 'list':
      if (typeof value === 'string') appendText(node, into, value);
      return;
    case undefined:
  }
}

/**
 * @param start of a string, at least as long as a head
 * @param whole reads all of it, where that is needed
 */
export function putHead(node: ShapeNode, into: SkimmedLine, start: string, whole: () => string): void {
  if (start.startsWith('<') || start.startsWith('[')) into.putHead(node, start.slice(0, HEAD_LENGTH));
  else if (start.startsWith('System: ') && splitSystemPart(whole())?.words === '') into.putHead(node, '');
}

export function add(node: ShapeNode, into: SkimmedLine, amount: number): void {
  const before = into.get(node);
  into.put(node, typeof before === 'number' ? before + amount : amount);
}

export function appendText(node: ShapeNode, into: SkimmedLine, text: string): void {
  const before = into.get(node);
  if (Array.isArray(before)) before.push(text);
  else into.put(node, [text]);
}

/**
 * What a JSON value weighs in a model's context, in characters: about the length of its compact JSON text. Strings
 * and keys count their UTF-16 units, every number, boolean and null counts SCALAR_WEIGHT, every member and element
 * PUNCTUATION_WEIGHT. The skimmer computes the same figure from bytes without building the value, which is why it
 * is not simply JSON.stringify().length.
 */
const SCALAR_WEIGHT = 4;
const PUNCTUATION_WEIGHT = 3;

/** Below this depth nothing is weighed; no tool nests so deep, and a hostile line must not overflow the stack. */
const MAX_DEPTH = 200;

function weigh(value: unknown, depth = 0): number {
  if (typeof value === 'string') return value.length;
  if (value === null || typeof value !== 'object') return SCALAR_WEIGHT;
  if (depth >= MAX_DEPTH) return 0;
  let total = 0;
  if (Array.isArray(value)) {
    for (const element of value) total += PUNCTUATION_WEIGHT + weigh(element, depth + 1);
    return total;
  }
  for (const [key, member] of Object.entries(value)) {
    total += PUNCTUATION_WEIGHT + key.length + weigh(member, depth + 1);
  }
  return total;
}
