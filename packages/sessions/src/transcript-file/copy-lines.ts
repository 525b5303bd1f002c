import { readSync, writeSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { SourceChanged, SourceWindows } from './source-windows.ts';

const BUFFER = 1024 * 1024;
const SHORT = 64 * 1024;
const LINE_FEED = 0x0a;

/**
 * Copies ranges of one file to the end of another through buffers of fixed size, however many or large they are. Ranges
 * in the order of the file cost the least.
 */
export class LineCopier {
  readonly #source: FileHandle;
  readonly #target: FileHandle;
  readonly #windows: SourceWindows;
  readonly #buffer = Buffer.allocUnsafe(BUFFER);
  #used = 0;

  constructor(source: FileHandle, target: FileHandle) {
    this.#source = source;
    this.#target = target;
    this.#windows = new SourceWindows(source);
  }

  /** A promise only where the disk must be waited for: there are thousands of short ranges. */
  copy(start: number, end: number): Promise<void> | undefined {
    const length = end - start;
    if (length > SHORT) return this.#copyLong(start, end);
    if (!this.#windows.has(start, end))
      return this.#windows.moveTo(start, end).then(() => this.copy(start, end));
    return this.put(this.#windows.take(start, end));
  }

  /** Gives a range one character a byte, and not to the target. A promise only where the disk must be waited for. */
  readText(start: number, end: number): string | Promise<string> {
    if (!this.#windows.has(start, end)) {
      return this.#windows.moveTo(start, end).then(() => this.readText(start, end));
    }
    return this.#windows.takeText(start, end);
  }

  async #copyLong(start: number, end: number): Promise<void> {
    for (let at = start; at < end; ) {
      if (this.#used === BUFFER) await this.flush();
      const length = Math.min(BUFFER - this.#used, end - at);
      const { bytesRead } = await this.#source.read(this.#buffer, this.#used, length, at);
      if (bytesRead === 0) throw new SourceChanged();
      this.#used += bytesRead;
      at += bytesRead;
    }
  }

  /** Copies what lies behind `start` by now, at once. Returns where it ended. Everything before must be flushed. */
  carryOver(start: number): number {
    for (let at = start; ; ) {
      const count = readSync(this.#source.fd, this.#buffer, 0, BUFFER, at);
      if (count === 0) return at;
      this.writeNow(this.#buffer.subarray(0, count));
      at += count;
    }
  }

  /** The finished lines that lie behind `start` by now. */
  readLines(start: number): Buffer {
    const chunks: Buffer[] = [];
    for (let at = start; ; ) {
      const count = readSync(this.#source.fd, this.#buffer, 0, BUFFER, at);
      if (count === 0) break;
      chunks.push(Buffer.from(this.#buffer.subarray(0, count)));
      at += count;
    }
    const bytes = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
    return bytes.subarray(0, bytes.lastIndexOf(LINE_FEED) + 1);
  }

  /** Appends at once. Everything before must be flushed. */
  writeNow(bytes: Buffer): void {
    for (let from = 0; from < bytes.length; ) {
      from += writeSync(this.#target.fd, bytes, from, bytes.length - from);
    }
  }

  put(bytes: Buffer): Promise<void> | undefined {
    if (this.#used + bytes.length > BUFFER) return this.#putAfterFlush(bytes);
    bytes.copy(this.#buffer, this.#used);
    this.#used += bytes.length;
    return undefined;
  }

  /** @param text one character a byte */
  putByteText(text: string): Promise<void> | undefined {
    if (this.#used + text.length > BUFFER) return this.#putAfterFlush(Buffer.from(text, 'latin1'));
    this.#used += this.#buffer.write(text, this.#used, 'latin1');
    return undefined;
  }

  async #putAfterFlush(bytes: Buffer): Promise<void> {
    await this.flush();
    if (bytes.length > BUFFER) return this.#write(bytes);
    bytes.copy(this.#buffer);
    this.#used = bytes.length;
  }

  async flush(): Promise<void> {
    await this.#write(this.#buffer.subarray(0, this.#used));
    this.#used = 0;
  }

  async #write(bytes: Buffer): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      at += (await this.#target.write(bytes, at, bytes.length - at, null)).bytesWritten;
    }
  }
}
