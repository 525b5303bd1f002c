/** Replaces parts of a text. Parts must not overlap; they may come in any order. */
export class Splice {
  readonly #text: string;
  readonly #parts: { start: number; end: number; text: string }[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  replace(start: number, end: number, text: string): void {
    this.#parts.push({ start, end, text });
  }

  get isEmpty(): boolean {
    return this.#parts.length === 0;
  }

  toString(): string {
    this.#parts.sort((a, b) => a.start - b.start);
    let text = '';
    let at = 0;
    for (const part of this.#parts) {
      text += this.#text.slice(at, part.start) + part.text;
      at = part.end;
    }
    return text + this.#text.slice(at);
  }
}
