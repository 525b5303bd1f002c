import { randomUUID } from 'node:crypto';
import type { ReadableFile } from '../disk/open-file.ts';
import { readRange } from './file-parts.ts';

/** Reading more than this before an append would cost more than a longer id. */
const CATCH_UP_LIMIT = 256 * 1024;
const CHUNK = 256 * 1024;
/** No id with its key is longer than this, so that none is missed between two chunks. */
const OVERLAP = 64;
const SHORT_ID = /"id"\s{0,8}:\s{0,8}"([0-9a-f]{8})"/g;

/**
 * The short ids of one transcript, for making new ones: two entries with one id make agents walk in circles. A file
 * whose ids cannot all be known at little cost gets uuids instead, which agents take as well.
 */
export class KnownIds {
  #ids = new Set<string>();
  #complete = true;
  #scannedTo = 0;
  #file = '';

  /** Reads what was added since the last call, or all of a file that is another one by now. */
  async catchUp(handle: ReadableFile, size: number, file: string): Promise<void> {
    if (file !== this.#file || size < this.#scannedTo) {
      this.#ids = new Set();
      this.#complete = true;
      this.#scannedTo = 0;
      this.#file = file;
    }
    if (!this.#complete || size - this.#scannedTo > CATCH_UP_LIMIT) {
      this.#complete = false;
      this.#ids = new Set();
      return;
    }
    for (let at = this.#scannedTo; at < size; at += CHUNK) {
      const bytes = await readRange(handle, Math.max(0, at - OVERLAP), Math.min(size, at + CHUNK));
      for (const match of bytes.toString('latin1').matchAll(SHORT_ID)) this.#ids.add(match[1]!);
    }
    this.#scannedTo = size;
  }

  /** What this process appended itself holds no ids but those it made. */
  passOver(end: number): void {
    this.#scannedTo = end;
  }

  make(random: () => string = randomUUID): string {
    for (let tries = 0; this.#complete && tries < 100; tries++) {
      const id = random().slice(0, 8);
      if (this.#ids.has(id)) continue;
      this.#ids.add(id);
      return id;
    }
    return randomUUID();
  }
}
