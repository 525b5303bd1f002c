/** Beyond this, looking for a place in the pieces costs more than copying them once. */
const MOST_PIECES = 64;

/** Bytes in pieces that versions of a file share: a change copies what is new, not everything else with it. */
export class Pieces {
  readonly length: number;
  #list: readonly Buffer[];

  constructor(pieces: readonly Buffer[]) {
    this.#list = pieces.length > MOST_PIECES ? [Buffer.concat(pieces)] : pieces;
    this.length = this.#list.reduce((sum, piece) => sum + piece.length, 0);
  }

  get list(): readonly Buffer[] {
    return this.#list;
  }

  /** All of them in one, copied at the first call. */
  whole(): Buffer {
    if (this.#list.length !== 1) this.#list = [Buffer.concat(this.#list)];
    return this.#list[0]!;
  }

  slice(from: number, to = this.length): Buffer[] {
    const parts: Buffer[] = [];
    let start = 0;
    for (const piece of this.#list) {
      const end = start + piece.length;
      if (end > from && start < to) {
        parts.push(piece.subarray(Math.max(0, from - start), Math.min(piece.length, to - start)));
      }
      start = end;
    }
    return parts;
  }
}
