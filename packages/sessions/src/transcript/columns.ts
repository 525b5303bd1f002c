import { KINDS, type TokenUsage } from './entry.ts';
import { ABSENT } from './formats/dialect.ts';
import { bareEnd, LINE_FEED } from './lines.ts';

const FIRST_CAPACITY = 256;

export const BLOCK_BITS = 12;
/** How many entries a block holds. */
export const BLOCK = 1 << BLOCK_BITS;
/** Of an index, its place in the block. */
export const IN_BLOCK = BLOCK - 1;

/** One number of each kind for some entries, in typed arrays: an object a line would cost several times as much. */
class EntryBlock {
  readonly starts = new Float64Array(BLOCK);
  readonly ends = new Float64Array(BLOCK);
  readonly kinds = new Uint8Array(BLOCK);
  readonly roles = new Uint8Array(BLOCK);
  readonly flags = new Uint32Array(BLOCK);
  readonly types = new Uint32Array(BLOCK);
  /** Numbers of ids in the table of strings, NULL_REF or ABSENT. */
  readonly ids = new Int32Array(BLOCK);
  readonly parentIds = new Int32Array(BLOCK);
  /** Indices of entries, NO_PARENT or DANGLING. */
  readonly parents = new Int32Array(BLOCK);
  readonly text = new Uint32Array(BLOCK);
  readonly thinking = new Uint32Array(BLOCK);
  /** Blocks of thinking, also those without a text. */
  readonly thoughts = new Uint16Array(BLOCK);
  readonly copies = new Uint32Array(BLOCK);
  readonly images = new Uint16Array(BLOCK);
  /** All that an entry gives to the model. */
  readonly characters = new Float64Array(BLOCK);
  readonly messages = new Int32Array(BLOCK);
  readonly usageRows = new Int32Array(BLOCK);
  readonly callStarts = new Uint32Array(BLOCK);
  readonly callCounts = new Uint16Array(BLOCK);
  readonly resultStarts = new Uint32Array(BLOCK);
  readonly resultCounts = new Uint16Array(BLOCK);
}

/** A block of blank lines. */
interface BlankBlock {
  readonly start: number;
  /** By line: twice its length, and 1 more where the line end before it has two bytes. Shared by blocks that are alike. */
  readonly steps: Uint16Array;
  readonly type: number;
  readonly callStart: number;
  readonly resultStart: number;
}

const LONGEST_STEP = 0xffff;

const BLANK = KINDS.indexOf('blank');

/**
 * The columns of all entries. They grow by blocks, because arrays that are copied to grow leave twice their size behind
 * until the garbage collector runs. `of(index).column[index & IN_BLOCK]` is a value; a block is good until the next call of `of`.
 * Blank lines, of which a file may hold millions, cost two bytes at most where a whole block is blank.
 */
export class EntryColumns {
  length = 0;
  /** By `index >> BLOCK_BITS`. Undefined for blocks of blank lines, which `show` gives. */
  readonly blocks: (EntryBlock | undefined)[] = [];
  readonly #blanks = new Map<number, BlankBlock>();
  /** Of the block of blank lines that is being made, and of the one that was made last. */
  readonly #steps = new Uint16Array(BLOCK);
  #madeSteps = new Uint16Array(0);
  /** A block that was given up, and is not in use again. */
  #spare: EntryBlock | undefined;
  /** The block of blank lines that was asked for last, written out. */
  #shown: { readonly number: number; readonly block: EntryBlock } | undefined;

  of(index: number): EntryBlock {
    return this.blocks[index >> BLOCK_BITS] ?? this.show(index);
  }

  /** Room for one more, and its index. */
  next(): number {
    const index = this.length++;
    if (index % BLOCK === 0) this.blocks.push(this.#giveUpBlanks() ?? this.#takeSpare() ?? new EntryBlock());
    return index;
  }

  /**
   * A whole block of blank lines, behind another blank line.
   * @param shift from a place in `bytes` to the one in the file
   * @returns behind its last line end; `at` where there are too few lines, or it would not begin a block
   */
  addBlanks(bytes: Buffer, at: number, end: number, shift: number): number {
    const last = this.length - 1;
    if (last < 0 || this.length % BLOCK !== 0) return at;
    const block = this.of(last);
    const inBlock = last & IN_BLOCK;
    if (block.kinds[inBlock] !== BLANK) return at;
    const steps = this.#steps;
    let next = at;
    let lineEnd = 1;
    for (let line = 0; line < BLOCK; line++) {
      if (next >= end) return at;
      let lineFeed = next;
      // Blank lines are short: a native search costs more than the loop.
      while (bytes[lineFeed] !== LINE_FEED) lineFeed++;
      const bare = bareEnd(bytes, next, lineFeed);
      const step = 2 * (bare - next) + lineEnd - 1;
      if (step > LONGEST_STEP) return at;
      steps[line] = step;
      lineEnd = lineFeed + 1 - bare;
      next = lineFeed + 1;
    }
    const blanks = {
      start: at + shift,
      steps: this.#keepSteps(),
      type: block.types[inBlock]!,
      callStart: block.callStarts[inBlock]!,
      resultStart: block.resultStarts[inBlock]!,
    };
    const given = this.#giveUpBlanks();
    this.#spare ??= given;
    this.#blanks.set(this.blocks.push(undefined) - 1, blanks);
    this.length += BLOCK;
    return next;
  }

  #keepSteps(): Uint16Array {
    const steps = this.#steps;
    // Nothing of the file is in between.
    steps[0]! &= ~1;
    const isLikeLast = Buffer.compare(asBytes(steps), asBytes(this.#madeSteps)) === 0;
    if (!isLikeLast) this.#madeSteps = steps.slice();
    return this.#madeSteps;
  }

  #takeSpare(): EntryBlock | undefined {
    const spare = this.#spare;
    this.#spare = undefined;
    return spare;
  }

  /** The last block, for other lines, where those in it are blank and alike. */
  #giveUpBlanks(): EntryBlock | undefined {
    const number = this.blocks.length - 1;
    const block = this.blocks[number];
    if (block === undefined || !this.#readSteps(block)) return undefined;
    const blanks = {
      start: block.starts[0]!,
      steps: this.#keepSteps(),
      type: block.types[0]!,
      callStart: block.callStarts[0]!,
      resultStart: block.resultStarts[0]!,
    };
    this.#blanks.set(number, blanks);
    this.blocks[number] = undefined;
    return block;
  }

  /** @returns false where not all lines of a block are blank */
  #readSteps({ starts, ends, kinds }: EntryBlock): boolean {
    for (let at = 0; at < BLOCK; at++) {
      const lineEnd = at === 0 ? 1 : starts[at]! - ends[at - 1]!;
      const step = 2 * (ends[at]! - starts[at]!) + lineEnd - 1;
      if (kinds[at] !== BLANK || step > LONGEST_STEP || (lineEnd !== 1 && lineEnd !== 2)) return false;
      this.#steps[at] = step;
    }
    return true;
  }

  show(index: number): EntryBlock {
    const number = index >> BLOCK_BITS;
    if (this.#shown?.number === number) return this.#shown.block;
    const blanks = this.#blanks.get(number);
    if (blanks === undefined) {
      nowhere ??= makeNowhere();
      return nowhere;
    }
    const block = this.#shown?.block ?? makeBlankBlock();
    this.#shown = { number, block };
    let before = blanks.start - 1;
    for (let at = 0; at < BLOCK; at++) {
      const step = blanks.steps[at]!;
      const start = before + 1 + (step & 1);
      block.starts[at] = start;
      before = start + (step >> 1);
      block.ends[at] = before;
    }
    block.types.fill(blanks.type);
    block.callStarts.fill(blanks.callStart);
    block.resultStarts.fill(blanks.resultStart);
    return block;
  }
}

const asBytes = ({ buffer, byteLength }: Uint16Array<ArrayBuffer>) => new Uint8Array(buffer, 0, byteLength);

/** All that a blank line has beside its place. */
function makeBlankBlock(): EntryBlock {
  const block = new EntryBlock();
  block.kinds.fill(BLANK);
  for (const column of [block.ids, block.parentIds, block.messages]) column.fill(ABSENT);
  for (const column of [block.parents, block.usageRows]) column.fill(-1);
  return block;
}

/** For an index that no entry has, such as -1: all is undefined there. */
let nowhere: EntryBlock | undefined;

function makeNowhere(): EntryBlock {
  const columns = Object.entries(new EntryBlock()) as [string, Uint8Array][];
  return Object.fromEntries(columns.map(([name, column]) => [name, column.slice(0, 0)])) as never;
}

/** Calls or results, numbered in the order of the file: an id, a name, a size and a flag each. */
export class ToolTable {
  length = 0;
  #ids = new Int32Array(FIRST_CAPACITY);
  #names = new Uint32Array(FIRST_CAPACITY);
  #sizes = new Uint32Array(FIRST_CAPACITY);
  #errors = new Uint8Array(FIRST_CAPACITY);
  readonly #words = new Words();

  add(id: number, name: string, size: number, isError: boolean): void {
    const row = this.length++;
    if (row === this.#ids.length) {
      const capacity = row + (row >> 1);
      this.#ids = new Int32Array(grow(this.#ids, capacity));
      this.#names = new Uint32Array(grow(this.#names, capacity));
      this.#sizes = new Uint32Array(grow(this.#sizes, capacity));
      this.#errors = new Uint8Array(grow(this.#errors, capacity));
    }
    this.#ids[row] = id;
    this.#names[row] = this.#words.number(name);
    this.#sizes[row] = size;
    this.#errors[row] = isError ? 1 : 0;
  }

  /** The call's id as a number: the same for the same id, below 0 where there is none. */
  idAt(row: number): number {
    return this.#ids[row]!;
  }

  sizeAt(row: number): number {
    return this.#sizes[row]!;
  }

  /** What a call weighs in the context: its name and its arguments. */
  weightAt(row: number): number {
    return this.#words.word(this.#names[row]!).length + this.#sizes[row]!;
  }

  row(row: number): { name: string; size: number; isError: boolean } {
    return {
      name: this.#words.word(this.#names[row]!),
      size: this.#sizes[row]!,
      isError: this.#errors[row] === 1,
    };
  }
}

/** For each number of a string, the entry that has it as its id. */
export class IndexOfId {
  #entries = new Int32Array(FIRST_CAPACITY).fill(-1);

  get(id: number): number | undefined {
    const entry = id < this.#entries.length ? this.#entries[id]! : -1;
    return entry < 0 ? undefined : entry;
  }

  set(id: number, entry: number): void {
    if (id >= this.#entries.length) {
      const { length } = this.#entries;
      const capacity = Math.max(id + 1, length + (length >> 1));
      this.#entries = new Int32Array(grow(this.#entries, capacity)).fill(-1, length);
    }
    this.#entries[id] = entry;
  }
}

/** Figures of usage, five a row; only assistant messages have one. */
export class UsageTable {
  #figures = new Float64Array(5 * FIRST_CAPACITY);
  #rows = 0;

  add(input: number, output: number, cacheRead: number, cacheWrite: number, total: number): number {
    const at = this.#rows * 5;
    if (at === this.#figures.length) {
      this.#figures = new Float64Array(grow(this.#figures, 5 * (this.#rows + (this.#rows >> 1))));
    }
    this.#figures[at] = input;
    this.#figures[at + 1] = output;
    this.#figures[at + 2] = cacheRead;
    this.#figures[at + 3] = cacheWrite;
    this.#figures[at + 4] = total;
    return this.#rows++;
  }

  read(row: number): TokenUsage {
    const [input = 0, output = 0, cacheRead = 0, cacheWrite = 0, total = 0] = this.#figures.subarray(row * 5);
    return { input, output, cacheRead, cacheWrite, total };
  }

  /** The context that it tells of: the total, or what adds up to it. */
  tokensAt(row: number): number {
    const figures = this.#figures;
    const at = row * 5;
    return figures[at + 4]! || figures[at]! + figures[at + 1]! + figures[at + 2]! + figures[at + 3]!;
  }
}

/** Words that repeat, held once and named by a number. */
export class Words {
  readonly #numbers = new Map<string, number>();
  readonly #words: string[] = [];

  number(word: string): number {
    const known = this.#numbers.get(word);
    if (known !== undefined) return known;
    const made = this.#words.length;
    this.#words.push(word);
    this.#numbers.set(word, made);
    return made;
  }

  word(number: number): string {
    return this.#words[number]!;
  }
}

/** The memory of a column for more rows. The former memory is free at once, and not when the garbage collector runs. */
function grow(
  { buffer, BYTES_PER_ELEMENT: size }: { buffer: ArrayBuffer; BYTES_PER_ELEMENT: number },
  length: number,
): ArrayBuffer {
  return buffer.transfer(length * size);
}
