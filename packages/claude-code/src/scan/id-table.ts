/** Entries per block of memory: a growing table adds blocks and copies none. */
const PIECE = 1024;
const FIGURES = 3;
/** A hash, and for each figure at most eight bytes of seven bits, which hold the sum of two safe integers. */
const MAX_SAVED = 8 + FIGURES * 8;

export type Figures = readonly [input: number, cache: number, output: number];

interface Piece {
  readonly hashes: Uint32Array;
  /** Undefined if all of them are 0. */
  figures?: Float64Array;
}

/**
 * Ids with the largest figures that each was seen with, in about forty bytes per id. Ids are compared by 64 bits of a
 * hash: of a million ids in one session, two collide with a probability of one in thirty million.
 */
export class IdTable {
  readonly #pieces: Piece[] = [];
  /** The position of an entry plus one, by the low bits of its hash; 0 for a free slot. */
  #slots = new Int32Array(64);
  #size = 0;
  readonly #sums: [number, number, number] = [0, 0, 0];

  get size(): number {
    return this.#size;
  }

  get sums(): Figures {
    return this.#sums;
  }

  add(id: string, input = 0, cache = 0, output = 0): void {
    let one = 0xdeadbeef;
    let two = 0x41c6ce57;
    for (let i = 0; i < id.length; i++) {
      const unit = id.charCodeAt(i);
      one = Math.imul(one ^ unit, 0x9e3779b1);
      two = Math.imul(two ^ unit, 0x5f356495);
    }
    one = Math.imul(one ^ (one >>> 16), 0x85ebca6b) ^ Math.imul(two ^ (two >>> 13), 0xc2b2ae35);
    two = Math.imul(two ^ (two >>> 16), 0x85ebca6b) ^ Math.imul(one ^ (one >>> 13), 0xc2b2ae35);
    this.#raise(one >>> 0, two >>> 0, input, cache, output);
  }

  /** In a form that `restore` accepts, in about thirteen bytes per id. */
  save(): Buffer {
    const bytes = Buffer.allocUnsafe(this.#size * MAX_SAVED);
    let at = 0;
    for (let entry = 0; entry < this.#size; entry++) {
      const { hashes, figures } = this.#pieces[Math.floor(entry / PIECE)]!;
      const row = entry % PIECE;
      at = bytes.writeUInt32LE(hashes[row * 2]!, at);
      at = bytes.writeUInt32LE(hashes[row * 2 + 1]!, at);
      for (let i = 0; i < FIGURES; i++) {
        let rest = figures?.[row * FIGURES + i] ?? 0;
        for (; rest >= 128; rest = Math.floor(rest / 128)) bytes[at++] = (rest % 128) + 128;
        bytes[at++] = rest;
      }
    }
    return bytes.subarray(0, at);
  }

  /** @throws RangeError if the bytes end inside an entry */
  static restore(bytes: Buffer): IdTable {
    const table = new IdTable();
    let at = 0;
    const readFigure = () => {
      let figure = 0;
      for (let unit = 1; ; unit *= 128) {
        if (at >= bytes.length) throw new RangeError('a table of ids ends inside of an entry');
        const byte = bytes[at++]!;
        figure += (byte % 128) * unit;
        if (byte < 128) return figure;
      }
    };
    while (at < bytes.length) {
      const [one, two] = [bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4)];
      at += 8;
      table.#raise(one, two, readFigure(), readFigure(), readFigure());
    }
    return table;
  }

  #raise(one: number, two: number, input: number, cache: number, output: number): void {
    const entry = this.#find(one, two);
    if (input === 0 && cache === 0 && output === 0) return;
    const piece = this.#pieces[Math.floor(entry / PIECE)]!;
    piece.figures ??= new Float64Array(PIECE * FIGURES);
    const { figures } = piece;
    const at = (entry % PIECE) * FIGURES;
    this.#raiseOne(figures, at, 0, input);
    this.#raiseOne(figures, at, 1, cache);
    this.#raiseOne(figures, at, 2, output);
  }

  #raiseOne(figures: Float64Array, at: number, which: 0 | 1 | 2, value: number): void {
    const more = value - figures[at + which]!;
    if (more <= 0) return;
    figures[at + which] = value;
    this.#sums[which] += more;
  }

  /** The position of an entry, which is added if it is new. */
  #find(one: number, two: number): number {
    const mask = this.#slots.length - 1;
    let slot = one & mask;
    for (let entry = this.#slots[slot]! - 1; entry >= 0; entry = this.#slots[slot]! - 1) {
      const { hashes } = this.#pieces[Math.floor(entry / PIECE)]!;
      const row = entry % PIECE;
      if (hashes[row * 2] === one && hashes[row * 2 + 1] === two) return entry;
      slot = (slot + 1) & mask;
    }
    const entry = this.#size++;
    const row = entry % PIECE;
    if (row === 0) {
      this.#pieces.push({ hashes: new Uint32Array(PIECE * 2) });
    }
    const { hashes } = this.#pieces.at(-1)!;
    hashes[row * 2] = one;
    hashes[row * 2 + 1] = two;
    this.#slots[slot] = entry + 1;
    if (this.#size * 4 > this.#slots.length * 3) this.#widen();
    return entry;
  }

  #widen(): void {
    const slots = new Int32Array(this.#slots.length * 2);
    const mask = slots.length - 1;
    for (let entry = 0; entry < this.#size; entry++) {
      let slot = this.#pieces[Math.floor(entry / PIECE)]!.hashes[(entry % PIECE) * 2]! & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = entry + 1;
    }
    this.#slots = slots;
  }
}
