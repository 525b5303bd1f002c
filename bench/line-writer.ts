import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';

const BATCH = 1 << 20;

/** Writes JSON lines to a file of any size in little memory. */
export class LineWriter {
  lines = 0;
  bytes = 0;
  readonly #out: WriteStream;
  #pending: string[] = [];
  #pendingLength = 0;

  constructor(path: string) {
    this.#out = createWriteStream(path);
  }

  /** About how many bytes were given so far. */
  get size(): number {
    return this.bytes + this.#pendingLength;
  }

  async write(line: object): Promise<void> {
    const json = `${JSON.stringify(line)}\n`;
    this.#pending.push(json);
    this.#pendingLength += json.length;
    this.lines++;
    if (this.#pendingLength > BATCH) await this.#flush();
  }

  async finish(): Promise<{ lines: number; bytes: number }> {
    await this.#flush();
    this.#out.end();
    await once(this.#out, 'finish');
    return { lines: this.lines, bytes: this.bytes };
  }

  async #flush(): Promise<void> {
    const chunk = this.#pending.join('');
    this.bytes += Buffer.byteLength(chunk);
    this.#pending = [];
    this.#pendingLength = 0;
    if (!this.#out.write(chunk)) await once(this.#out, 'drain');
  }
}
