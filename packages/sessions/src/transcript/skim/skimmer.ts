import { parseJson } from './deep-json.ts';
import { FIRST_LINE_ROOM, type Kernel } from './kernel.ts';
import { add, appendText, pick, putHead } from './pick.ts';
import { HEAD_LENGTH, NULL_REF, type Shape, type ShapeNode, type SkimmedLine } from './shape.ts';
import { type PlacedShape, placeShape } from './shape-in-memory.ts';
import { StringTable } from './string-table.ts';

/** What an event says, as assembly/skim.ts numbers it. */
const FIGURE = 0;
const WORD = 1;
const STRING = 2;
const ROW = 3;
const SUM = 4;
const NULL = 5;
const TRUE = 6;
const FALSE = 7;
const NUMBER = 8;
const HEAD = 9;

/** Longer lines are looked at in a memory apart: what they take is not held by the strings of the transcript. */
const LONG_LINE = 256 * 1024;
/** And where they are longer than this, it is not kept for the next one. */
const HUGE_LINE = 4 * 1024 * 1024;

/** As many bytes are looked at together. */
const TOGETHER = FIRST_LINE_ROOM - 1;

const CARRIAGE_RETURN = 0x0d;
const BACKSLASH = 0x5c;
const LOWER_U = 0x75;

/**
 * Takes from the bytes of one line what a shape names, checking the whole line to be JSON on the way, at a fraction of
 * the cost of JSON.parse. Whatever is rare (control bytes, escaped or repeated keys, deep nesting, bytes that are not
 * UTF-8) is left to JSON.parse.
 */
export class Skimmer {
  readonly #shape: Shape;
  readonly #into: SkimmedLine;
  readonly #strings: StringTable;
  /** Whether numbers of strings are those of `into`. */
  readonly #isOwn: boolean;
  readonly #kernel: Kernel;
  readonly #placed: PlacedShape;
  /** Strings that repeat, by their numbers as words. */
  readonly #words: string[] = [''];
  #apart: Skimmer | undefined;

  /** @param strings where strings are held while a line is read; those of `into` unless they are to be dropped */
  constructor(shape: Shape, into: SkimmedLine, strings: StringTable = into.strings) {
    this.#shape = shape;
    this.#into = into;
    this.#strings = strings;
    this.#isOwn = strings === into.strings;
    this.#kernel = strings.kernel;
    this.#placed = placeShape(shape, strings.kernel);
  }

  /** @returns false when the range is not one JSON object */
  skim(bytes: Buffer, start: number, end: number): boolean {
    if (end - start >= LONG_LINE && this.#isOwn) return this.#skimApart(bytes, start, end);
    const kernel = this.#kernel;
    this.#into.clear();
    const at = kernel.placeLine(bytes, start, end);
    const count = kernel.code.skim(at, at + end - start, this.#placed.root);
    if (count < 0) return this.#parse(bytes, start, end);
    const from = kernel.code.events.value >> 2;
    this.#read(from, from + 3 * count);
    return true;
  }

  /**
   * Skims whole lines together, up to one that must be looked at alone: it is long, or is left to JSON.parse.
   * @param take is called for each line, with its place without its line end
   * @returns behind the last of them
   */
  skimLines(bytes: Buffer, start: number, end: number, take: (start: number, end: number) => void): number {
    const kernel = this.#kernel;
    const { code } = kernel;
    let at = start;
    for (let isOver = false; !isOver; ) {
      const to = Math.min(end, at + TOGETHER);
      const placed = kernel.placeLine(bytes, at, to);
      const count = code.skimLines(placed, placed + to - at, this.#placed.root);
      const from = at - placed;
      let event = code.events.value >> 2;
      for (let line = code.lines.value >> 2, last = line + 3 * count; line < last; line += 3) {
        const { figures } = kernel;
        const lineStart = figures[line]! + from;
        const lineEnd = figures[line + 1]! + from;
        const lastEvent = figures[line + 2]! >> 2;
        this.#into.clear();
        // A string that is held from now on may have made the memory grow, and `figures` empty.
        this.#read(event, lastEvent);
        take(lineStart, lineEnd);
        event = lastEvent;
        at = bytes[lineEnd] === CARRIAGE_RETURN ? lineEnd + 2 : lineEnd + 1;
      }
      isOver = count === 0 || at >= end;
    }
    return at;
  }

  #skimApart(bytes: Buffer, start: number, end: number): boolean {
    this.#apart ??= new Skimmer(this.#shape, this.#into, new StringTable());
    const isObject = this.#apart.skim(bytes, start, end);
    if (end - start >= HUGE_LINE) this.#apart = undefined;
    return isObject;
  }

  #parse(bytes: Buffer, start: number, end: number): boolean {
    let value: unknown;
    try {
      value = parseJson(bytes, start, end);
    } catch {
      return false;
    }
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return false;
    pick(value, this.#shape.root, this.#into);
    return true;
  }

  #read(from: number, to: number): void {
    const into = this.#into;
    const { nodes } = this.#placed;
    let { figures } = this.#kernel;
    for (let at = from; at < to; at += 3) {
      const event = figures[at]!;
      const node = nodes[event & 0xffff]!;
      const figure = figures[at + 1]!;
      switch (event >> 16) {
        case FIGURE:
          into.put(node, this.#isOwn || node.leaf !== 'ref' ? figure : this.#internHere(figure));
          break;
        case WORD:
          into.put(node, this.#words[figure] ?? this.#learn(figure, figures[at + 2]!));
          break;
        case ROW:
          into.openRow();
          break;
        case TRUE:
          into.put(node, true);
          break;
        case FALSE:
          into.put(node, false);
          break;
        case NULL:
          into.put(node, node.leaf === 'ref' ? NULL_REF : null);
          break;
        case SUM:
          add(node, into, figure);
          break;
        case NUMBER:
          into.put(node, Number(this.#kernel.bytes.toString('latin1', figure, figures[at + 2]!)));
          break;
        case STRING:
          this.#takeString(node, figure, figures[at + 2]!);
          // One more string may have made the memory grow.
          figures = this.#kernel.figures;
          break;
        case HEAD:
          this.#takeHead(node, figure, figures[at + 2]!);
          break;
      }
    }
  }

  #learn(word: number, number: number): string {
    // A string that was a key is compared with literals by its address.
    for (const text in { [this.#strings.text(number)]: true }) this.#words[word] = text;
    return this.#words[word]!;
  }

  #internHere(number: number): number {
    return this.#into.strings.internText(this.#strings.text(number));
  }

  #takeString(node: ShapeNode, start: number, end: number): void {
    const into = this.#into;
    const raw = this.#kernel.bytes.toString('utf8', start, end);
    const text = raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw;
    if (node.leaf === 'ref') into.put(node, into.strings.internText(text));
    else if (node.leaf === 'list') appendText(node, into, text);
    else into.put(node, text);
  }

  /** Mostly the beginning only: command output is machine-made too, and can be megabytes long. */
  #takeHead(node: ShapeNode, start: number, end: number): void {
    const { bytes } = this.#kernel;
    const read = (to: number) => JSON.parse(`"${bytes.toString('utf8', start, to)}"`) as string;
    putHead(node, this.#into, read(endOfUnits(bytes, start, end, HEAD_LENGTH)), () => read(end));
  }
}

/** Where at least `units` UTF-16 units of a raw string end, never inside an escape or a character. */
function endOfUnits(bytes: Buffer, start: number, end: number, units: number): number {
  let at = start;
  for (let count = 0; count < units && at < end; count++) {
    const c = bytes[at]!;
    if (c === BACKSLASH) at += bytes[at + 1] === LOWER_U ? 6 : 2;
    else if (c < 0xc0) at += 1;
    else at += c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
  }
  return Math.min(at, end);
}
