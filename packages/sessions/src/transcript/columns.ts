const FIRST_CAPACITY = 256;

/**
 * One number of each kind a line, in typed arrays that grow together: an object a line would cost several times as
 * much. Plain fields, because an array type that varies behind one access is slow.
 */
export class EntryColumns {
  length = 0;
  starts = new Float64Array(FIRST_CAPACITY);
  ends = new Float64Array(FIRST_CAPACITY);
  kinds = new Uint8Array(FIRST_CAPACITY);
  roles = new Uint8Array(FIRST_CAPACITY);
  flags = new Uint16Array(FIRST_CAPACITY);
  types = new Uint32Array(FIRST_CAPACITY);
  /** Numbers of ids in the table of strings, NULL_REF or ABSENT. */
  ids = new Int32Array(FIRST_CAPACITY);
  parentIds = new Int32Array(FIRST_CAPACITY);
  /** Indices of entries, NO_PARENT or DANGLING. */
  parents = new Int32Array(FIRST_CAPACITY);
  text = new Uint32Array(FIRST_CAPACITY);
  thinking = new Uint32Array(FIRST_CAPACITY);
  copies = new Uint32Array(FIRST_CAPACITY);
  images = new Uint16Array(FIRST_CAPACITY);
  messages = new Int32Array(FIRST_CAPACITY);
  usageRows = new Int32Array(FIRST_CAPACITY);
  callStarts = new Uint32Array(FIRST_CAPACITY + 1);
  resultStarts = new Uint32Array(FIRST_CAPACITY + 1);

  /** Room for one more, and its index. */
  next(): number {
    const index = this.length++;
    if (index === this.starts.length) this.#grow(index + (index >> 1));
    return index;
  }

  #grow(capacity: number): void {
    this.starts = copyInto(new Float64Array(capacity), this.starts);
    this.ends = copyInto(new Float64Array(capacity), this.ends);
    this.kinds = copyInto(new Uint8Array(capacity), this.kinds);
    this.roles = copyInto(new Uint8Array(capacity), this.roles);
    this.flags = copyInto(new Uint16Array(capacity), this.flags);
    this.types = copyInto(new Uint32Array(capacity), this.types);
    this.ids = copyInto(new Int32Array(capacity), this.ids);
    this.parentIds = copyInto(new Int32Array(capacity), this.parentIds);
    this.parents = copyInto(new Int32Array(capacity), this.parents);
    this.text = copyInto(new Uint32Array(capacity), this.text);
    this.thinking = copyInto(new Uint32Array(capacity), this.thinking);
    this.copies = copyInto(new Uint32Array(capacity), this.copies);
    this.images = copyInto(new Uint16Array(capacity), this.images);
    this.messages = copyInto(new Int32Array(capacity), this.messages);
    this.usageRows = copyInto(new Int32Array(capacity), this.usageRows);
    this.callStarts = copyInto(new Uint32Array(capacity + 1), this.callStarts);
    this.resultStarts = copyInto(new Uint32Array(capacity + 1), this.resultStarts);
  }
}

/** Calls or results: an id, a name, a size and a flag each. */
export class ToolTable {
  length = 0;
  ids = new Int32Array(FIRST_CAPACITY);
  names = new Uint32Array(FIRST_CAPACITY);
  sizes = new Uint32Array(FIRST_CAPACITY);
  errors = new Uint8Array(FIRST_CAPACITY);

  add(id: number, name: number, size: number, isError: boolean): void {
    const row = this.length++;
    if (row === this.ids.length) {
      const capacity = row + (row >> 1);
      this.ids = copyInto(new Int32Array(capacity), this.ids);
      this.names = copyInto(new Uint32Array(capacity), this.names);
      this.sizes = copyInto(new Uint32Array(capacity), this.sizes);
      this.errors = copyInto(new Uint8Array(capacity), this.errors);
    }
    this.ids[row] = id;
    this.names[row] = name;
    this.sizes[row] = size;
    this.errors[row] = isError ? 1 : 0;
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
      const grown = new Int32Array(Math.max(id + 1, this.#entries.length + (this.#entries.length >> 1))).fill(
        -1,
      );
      this.#entries = copyInto(grown, this.#entries);
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
      this.#figures = copyInto(new Float64Array(5 * (this.#rows + (this.#rows >> 1))), this.#figures);
    }
    this.#figures[at] = input;
    this.#figures[at + 1] = output;
    this.#figures[at + 2] = cacheRead;
    this.#figures[at + 3] = cacheWrite;
    this.#figures[at + 4] = total;
    return this.#rows++;
  }

  figure(row: number, figure: 0 | 1 | 2 | 3 | 4): number {
    return this.#figures[row * 5 + figure]!;
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

function copyInto<T extends { set(source: ArrayLike<number>): void }>(
  larger: T,
  smaller: ArrayLike<number>,
): T {
  larger.set(smaller);
  return larger;
}
