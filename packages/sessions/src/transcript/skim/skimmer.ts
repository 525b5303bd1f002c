import { BACKSLASH, JsonCursor, LOWER_U, MINUS, QUOTE, UNUSUAL } from './cursor.ts';
import { add, appendText, hasHead, pick } from './pick.ts';
import {
  HEAD_LENGTH,
  NULL_REF,
  type Shape,
  type ShapeKey,
  type ShapeNode,
  type SkimmedLine,
} from './shape.ts';
import { MAX_DEPTH, PUNCTUATION_WEIGHT, SCALAR_WEIGHT } from './weight.ts';

const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const COMMA = 0x2c;
const COLON = 0x3a;

/** The cursor takes the first byte of a word for its lowest. Where it is not, everything goes the slow way. */
const BIG_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 0;

/**
 * Takes from the bytes of one line what a shape names, checking the whole line to be JSON on the way. It reads
 * structure byte by byte and jumps over strings, so it costs a fraction of JSON.parse. Whatever is rare (control
 * bytes, escaped or repeated keys, deep nesting) is left to JSON.parse.
 */
export class Skimmer extends JsonCursor {
  readonly #shape: Shape;
  #weighing = false;
  #weight = 0;
  readonly #into: SkimmedLine;

  constructor(shape: Shape, into: SkimmedLine) {
    super();
    this.#shape = shape;
    this.#into = into;
  }

  /** @returns false when the range is not one JSON object */
  skim(bytes: Buffer, start: number, end: number): boolean {
    const into = this.#into;
    into.clear();
    if (BIG_ENDIAN) return this.#parse(bytes, start, end);
    try {
      const moved = this.adopt(bytes, start, end);
      this.end = end + moved;
      this.#weighing = false;
      const at = this.space(start + moved);
      if (this.bytes[at] === OPEN_OBJECT) {
        if (this.space(this.#object(at, this.#shape.root, 0)) === this.end) return true;
      }
    } catch (error) {
      if (error !== UNUSUAL) throw error;
    }
    into.clear();
    return this.#parse(bytes, start, end);
  }

  #parse(bytes: Buffer, start: number, end: number): boolean {
    let value: unknown;
    try {
      value = JSON.parse(bytes.toString('utf8', start, end));
    } catch {
      return false;
    }
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return false;
    pick(value, this.#shape.root, this.#into);
    return true;
  }

  #key(node: ShapeNode, start: number, end: number): ShapeKey | undefined {
    const candidates = node.byLength![end - start];
    if (candidates === undefined) return undefined;
    const bytes = this.bytes;
    for (let i = 0; i < candidates.length; i++) {
      const candidate = candidates[i]!;
      const wanted = candidate.bytes;
      let k = 0;
      while (k < wanted.length && wanted[k] === bytes[start + k]) k++;
      if (k === wanted.length) return candidate;
    }
    return undefined;
  }

  #object(at: number, node: ShapeNode, depth: number): number {
    if (depth >= MAX_DEPTH) throw UNUSUAL;
    const bytes = this.bytes;
    const wants = node.byLength !== undefined;
    let seen = 0;
    at = this.space(at + 1);
    if (bytes[at] === CLOSE_OBJECT) return at + 1;
    for (;;) {
      if (bytes[at] !== QUOTE) throw UNUSUAL;
      const keyStart = at + 1;
      const keyEnd = this.string(keyStart);
      let key: ShapeKey | undefined;
      if (wants) {
        if (this.escaped > 0) throw UNUSUAL;
        key = this.#key(node, keyStart, keyEnd);
      }
      if (this.#weighing) this.#weight += PUNCTUATION_WEIGHT + this.length(keyStart, keyEnd);
      at = this.space(keyEnd + 1);
      if (bytes[at] !== COLON) throw UNUSUAL;
      at = this.space(at + 1);
      if (key === undefined) at = this.#pass(at, depth + 1);
      else {
        if ((seen & key.bit) !== 0) throw UNUSUAL;
        seen |= key.bit;
        at = this.#take(at, key.node, depth + 1);
      }
      at = this.space(at);
      const next = bytes[at];
      if (next === COMMA) at = this.space(at + 1);
      else if (next === CLOSE_OBJECT) return at + 1;
      else throw UNUSUAL;
    }
  }

  #array(at: number, element: ShapeNode | undefined, depth: number): number {
    if (depth >= MAX_DEPTH) throw UNUSUAL;
    const bytes = this.bytes;
    at = this.space(at + 1);
    if (bytes[at] === CLOSE_ARRAY) return at + 1;
    for (;;) {
      if (this.#weighing) this.#weight += PUNCTUATION_WEIGHT;
      if (element === undefined || (element.opensRow && bytes[at] !== OPEN_OBJECT))
        at = this.#pass(at, depth + 1);
      else {
        if (element.opensRow) this.#into.openRow();
        at = this.#take(at, element, depth + 1);
      }
      at = this.space(at);
      const next = bytes[at];
      if (next === COMMA) at = this.space(at + 1);
      else if (next === CLOSE_ARRAY) return at + 1;
      else throw UNUSUAL;
    }
  }

  /** Passes over a value that the shape does not name. */
  #pass(at: number, depth: number): number {
    const c = this.bytes[at];
    if (c === QUOTE) {
      const end = this.string(at + 1);
      if (this.#weighing) this.#weight += this.length(at + 1, end);
      return end + 1;
    }
    if (c === OPEN_OBJECT) return this.#object(at, NOTHING, depth);
    if (c === OPEN_ARRAY) return this.#array(at, undefined, depth);
    if (this.#weighing) this.#weight += SCALAR_WEIGHT;
    return this.scalarEnd(at);
  }

  #take(at: number, node: ShapeNode, depth: number): number {
    const into = this.#into;
    const leaf = node.leaf;
    if (leaf === 'weight') {
      this.#weighing = true;
      this.#weight = 0;
      const end = this.#pass(at, depth);
      this.#weighing = false;
      into.put(node, this.#weight);
      return end;
    }
    if (leaf === 'present') into.put(node, true);
    else if (leaf === 'count') add(node, into, 1);
    const c = this.bytes[at];
    if (c === QUOTE) {
      const end = this.string(at + 1);
      if (leaf !== undefined) this.#takeString(node, at + 1, end);
      return end + 1;
    }
    if (c === OPEN_OBJECT) return this.#object(at, node, depth);
    if (c === OPEN_ARRAY) return this.#array(at, node.element, depth);
    const end = this.scalarEnd(at);
    if (leaf !== undefined) this.#takeScalar(node, at, end);
    return end;
  }

  #takeString(node: ShapeNode, start: number, end: number): void {
    const into = this.#into;
    switch (node.leaf) {
      case 'text':
      case 'scalar':
        into.put(node, this.decode(start, end));
        return;
      case 'ref':
        into.put(
          node,
          this.isPlain
            ? into.strings.intern(this.bytes, start, end)
            : into.strings.internText(this.decode(start, end)),
        );
        return;
      case 'list':
        appendText(node, into, this.decode(start, end));
        return;
      case 'size':
        into.put(node, this.length(start, end));
        return;
      case 'sum':
        add(node, into, this.length(start, end));
        return;
      case 'head':
        into.put(node, this.length(start, end));
        this.#takeHead(node, start, end);
    }
  }

  /** The beginning only: command output is machine-made too, and can be megabytes long. */
  #takeHead(node: ShapeNode, start: number, end: number): void {
    const first = this.bytes[start]!;
    if (!hasHead(first) && !(first === BACKSLASH && this.bytes[start + 1] === LOWER_U)) return;
    const raw = this.bytes.toString('utf8', start, this.unitsFrom(start, end, HEAD_LENGTH));
    let head: string;
    try {
      head = JSON.parse(`"${raw}"`) as string;
    } catch {
      // Bytes that are not UTF-8 can hide where an escape begins.
      throw UNUSUAL;
    }
    if (hasHead(head.charCodeAt(0))) this.#into.putHead(node, head.slice(0, HEAD_LENGTH));
  }

  #takeScalar(node: ShapeNode, start: number, end: number): void {
    const { leaf } = node;
    const first = this.bytes[start]!;
    if (first === MINUS || first <= 0x39) {
      if (leaf === 'number' || leaf === 'scalar') this.#into.put(node, this.number(start, end));
    } else if (first === 0x6e) {
      if (leaf === 'text' || leaf === 'scalar') this.#into.put(node, null);
      else if (leaf === 'ref') this.#into.put(node, NULL_REF);
    } else if (leaf === 'scalar') this.#into.put(node, first === 0x74);
    else if (leaf === 'flag' && first === 0x74) this.#into.put(node, true);
  }
}

const NOTHING: ShapeNode = {
  leaf: undefined,
  slot: -1,
  inRow: false,
  opensRow: false,
  element: undefined,
  byLength: undefined,
};
