import { readSync, writeSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';

const BUFFER = 1024 * 1024;
const SHORT = 64 * 1024;
const LINE_FEED = 0x0a;

/** The file is shorter than it was a moment ago: somebody rewrites it. */
export class SourceShrank extends Error {
  override readonly name = 'SourceShrank';
}

/** Copies ranges of one file to the end of another through a buffer of fixed size, however many or large they are. */
export class LineCopier {
  readonly #source: FileHandle;
  readonly #target: FileHandle;
  readonly #buffer = Buffer.allocUnsafe(BUFFER);
  #used = 0;

  constructor(source: FileHandle, target: FileHandle) {
    this.#source = source;
    this.#target = target;
  }

  async copy(start: number, end: number): Promise<void> {
    const length = end - start;
    // A short range is read sooner than a promise of it is kept.
    if (length <= SHORT) {
      if (this.#used + length > BUFFER) await this.flush();
      this.#used += this.#readShort(start, length);
      return;
    }
    for (let at = start; at < end; ) {
      if (this.#used === BUFFER) await this.flush();
      const length = Math.min(BUFFER - this.#used, end - at);
      const { bytesRead } = await this.#source.read(this.#buffer, this.#used, length, at);
      if (bytesRead === 0) throw new SourceShrank('the file became shorter while it was read');
      this.#used += bytesRead;
      at += bytesRead;
    }
  }

  /**
   * Copies what lies behind `start` by now, at once. Returns where it ended. Everything before must be flushed.
   * @param wholeLines leaves a line alone whose end has not been written yet
   */
  carryOver(start: number, wholeLines = false): number {
    const end = wholeLines ? this.#endOfLines(start) : Number.POSITIVE_INFINITY;
    for (let at = start; ; ) {
      const count = readSync(this.#source.fd, this.#buffer, 0, Math.min(BUFFER, end - at), at);
      if (count === 0) return at;
      for (let from = 0; from < count; ) from += writeSync(this.#target.fd, this.#buffer, from, count - from);
      at += count;
    }
  }

  /** Where the last finished line behind `start` ends; `start` when there is none. */
  #endOfLines(start: number): number {
    let end = start;
    for (let at = start; ; ) {
      const count = readSync(this.#source.fd, this.#buffer, 0, BUFFER, at);
      if (count === 0) return end;
      const feed = this.#buffer.subarray(0, count).lastIndexOf(LINE_FEED);
      if (feed >= 0) end = at + feed + 1;
      at += count;
    }
  }

  #readShort(start: number, length: number): number {
    for (let done = 0; done < length; ) {
      const count = readSync(this.#source.fd, this.#buffer, this.#used + done, length - done, start + done);
      if (count === 0) throw new SourceShrank('the file became shorter while it was read');
      done += count;
    }
    return length;
  }

  async put(bytes: Buffer): Promise<void> {
    if (this.#used + bytes.length > BUFFER) await this.flush();
    if (bytes.length > BUFFER) return this.#write(bytes);
    bytes.copy(this.#buffer, this.#used);
    this.#used += bytes.length;
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
