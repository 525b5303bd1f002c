/** Bytes that are kept of the beginning and of the end. Errors are at the end, and what was asked for at the beginning. */
const MOST_KEPT = 20_000;

/** The output of a command, of which only the beginning and the end are kept in memory. */
export class CutOutput {
  #start = Buffer.alloc(0);
  #end = Buffer.alloc(0);
  #between = 0;

  add(piece: Buffer): void {
    const room = MOST_KEPT - this.#start.length;
    if (room > 0) this.#start = Buffer.concat([this.#start, piece.subarray(0, room)]);
    const rest = piece.subarray(Math.max(0, room));
    if (rest.length === 0) return;
    const end = Buffer.concat([this.#end, rest.subarray(Math.max(0, rest.length - MOST_KEPT))]);
    this.#between += this.#end.length + rest.length - Math.min(end.length, MOST_KEPT);
    this.#end = end.subarray(Math.max(0, end.length - MOST_KEPT));
  }

  text(): string {
    if (this.#between === 0) return show(Buffer.concat([this.#start, this.#end]));
    const note = `[… ${this.#between} bytes are not shown …]`;
    return `${show(this.#start)}\n${note}\n${show(this.#end)}`;
  }
}

/** Parts of a character at the cuts, and what is no text, become the replacement character. */
function show(bytes: Buffer): string {
  return bytes.toString('utf8').replace(/\n$/, '');
}
