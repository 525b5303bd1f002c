import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';

export const BLOCK = 1024 * 1024;
const CHUNK = 256 * 1024;

/** Checksums of the bytes of a file from its beginning, by blocks; the last one may be incomplete. */
export class PrefixChecksums {
  readonly #blocks: number[];
  #size: number;

  constructor(blocks: readonly number[] = [], size = 0) {
    this.#blocks = [...blocks];
    this.#size = size;
  }

  get size(): number {
    return this.#size;
  }

  get blocks(): readonly number[] {
    return this.#blocks;
  }

  /** Adds bytes; those that it has already are skipped. */
  push(chunk: Buffer, offset: number): void {
    let at = this.#size - offset;
    if (at < 0) throw new Error(`bytes ${this.#size} to ${offset} were left out`);
    while (at < chunk.length) {
      const room = BLOCK - (this.#size % BLOCK);
      const piece = chunk.subarray(at, at + room);
      if (room === BLOCK) this.#blocks.push(crc32(piece));
      else this.#blocks.push(crc32(piece, this.#blocks.pop()!));
      this.#size += piece.length;
      at += piece.length;
    }
  }

  /** Whether a file still begins with these bytes. */
  async match(handle: FileHandle): Promise<boolean> {
    // A file that shrank while it was read has fewer blocks.
    if (this.#blocks.length !== Math.ceil(this.#size / BLOCK)) return false;
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK, this.#size));
    for (const [block, known] of this.#blocks.entries()) {
      const end = Math.min((block + 1) * BLOCK, this.#size);
      let sum = 0;
      for (let at = block * BLOCK; at < end; ) {
        const { bytesRead } = await handle.read(chunk, 0, Math.min(chunk.length, end - at), at);
        if (bytesRead === 0) return false;
        sum = crc32(chunk.subarray(0, bytesRead), sum);
        at += bytesRead;
      }
      if (sum !== known) return false;
    }
    return true;
  }
}
