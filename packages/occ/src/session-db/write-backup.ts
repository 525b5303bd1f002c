import { closeSync, fsyncSync, openSync, renameSync, unlinkSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { iterateEventLines, makeLeftoverName, type OpenclawDatabase } from '@openbot/sessions';

const CHUNK = 1024 * 1024;

/**
 * Writes lines, each with its end, to a new file, synced but for its folder. All at once and without a pause, so that the lines
 * are those of one moment.
 */
export function writeLinesToFile(path: string, lines: Iterable<Buffer>): void {
  const temp = join(dirname(path), makeLeftoverName(basename(path), 'tmp'));
  const file = openSync(temp, 'wx', 0o600);
  try {
    try {
      const writer = new ChunkWriter(file);
      for (const line of lines) writer.put(line);
      writer.flush();
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temp, path);
  } catch (error) {
    try {
      unlinkSync(temp);
    } catch {
      // What made the writing fail is what counts.
    }
    throw error;
  }
}

export function writeBackupOf(database: OpenclawDatabase, sessionId: string, path: string): void {
  writeLinesToFile(path, iterateEventLines(database, sessionId));
}

class ChunkWriter {
  readonly #file: number;
  readonly #buffer = Buffer.allocUnsafe(CHUNK);
  #filled = 0;

  constructor(file: number) {
    this.#file = file;
  }

  put(line: Buffer): void {
    if (this.#filled + line.length > CHUNK) this.flush();
    if (line.length > CHUNK) {
      this.#write(line, line.length);
      return;
    }
    line.copy(this.#buffer, this.#filled);
    this.#filled += line.length;
  }

  flush(): void {
    this.#write(this.#buffer, this.#filled);
    this.#filled = 0;
  }

  #write(bytes: Buffer, length: number): void {
    for (let done = 0; done < length; ) done += writeSync(this.#file, bytes, done, length - done);
  }
}
