import { closeSync, fsyncSync, openSync, readSync, renameSync, unlinkSync, writeSync } from 'node:fs';
import { giveToFolderOwner, makeLeftoverPath } from '@openbot/sessions/disk';
import {
  type LineKeeper,
  type OpenclawDatabase,
  readOpenclawDatabase,
} from '@openbot/sessions/openclaw-database';

const CHUNK = 1024 * 1024;
const LINE_END = Buffer.from('\n');

/** A new file that gets its name when it is whole. What was written to it can be read again. */
export class StagedFile implements LineKeeper {
  readonly #path: string;
  readonly #temp: string;
  readonly #file: number;
  readonly #buffer = Buffer.allocUnsafe(CHUNK);
  #filled = 0;
  #byteLength = 0;
  #isOpen = true;
  #isNamed = false;

  constructor(path: string) {
    this.#path = path;
    this.#temp = makeLeftoverPath(path, 'tmp');
    this.#file = openSync(this.#temp, 'wx+', 0o600);
    giveToFolderOwner(this.#file, path);
  }

  /** Where it is before it has its name. */
  get tempPath(): string {
    return this.#temp;
  }

  /** Of all that was put. */
  get byteLength(): number {
    return this.#byteLength;
  }

  put(bytes: Buffer): void {
    this.#byteLength += bytes.length;
    if (this.#filled + bytes.length > CHUNK) this.#flush();
    if (bytes.length > CHUNK) {
      this.#write(bytes, bytes.length);
      return;
    }
    bytes.copy(this.#buffer, this.#filled);
    this.#filled += bytes.length;
  }

  keep(line: Buffer): void {
    this.put(line);
    this.put(LINE_END);
  }

  keepParts(parts: Iterable<Buffer>): void {
    for (const part of parts) this.put(part);
    this.put(LINE_END);
  }

  read(start: number, end: number): Buffer {
    this.#flush();
    const bytes = Buffer.allocUnsafe(end - start);
    for (let done = 0; done < bytes.length; ) {
      const count = readSync(this.#file, bytes, done, bytes.length - done, start + done);
      if (count === 0) throw new Error(`${this.#temp} became shorter while it was read`);
      done += count;
    }
    return bytes;
  }

  /** All that was put is on disk then, but for the folder. */
  sync(): void {
    this.#flush();
    fsyncSync(this.#file);
  }

  name(): void {
    renameSync(this.#temp, this.#path);
    this.#isNamed = true;
  }

  close(): void {
    if (this.#isOpen) closeSync(this.#file);
    this.#isOpen = false;
  }

  /** Takes it away, unless it has its name. */
  drop(): void {
    this.close();
    if (this.#isNamed) return;
    try {
      unlinkSync(this.#temp);
    } catch {
      // It is not there any more, or what failed before it is what counts.
    }
  }

  #flush(): void {
    this.#write(this.#buffer, this.#filled);
    this.#filled = 0;
  }

  #write(bytes: Buffer, length: number): void {
    for (let done = 0; done < length; ) done += writeSync(this.#file, bytes, done, length - done);
  }
}

/**
 * Reads from a database into a new file, which is then on disk and has yet to get its name. Where the database has to be
 * read again the file is begun anew, and where that fails there is none.
 */
export function stageFromDatabase<T>(
  database: string,
  path: string,
  read: (open: OpenclawDatabase, file: StagedFile) => T,
): { readonly file: StagedFile; readonly result: T } {
  let file: StagedFile | undefined;
  try {
    const result = readOpenclawDatabase(database, (open) => {
      file?.drop();
      file = new StagedFile(path);
      return read(open, file);
    });
    file!.sync();
    return { file: file!, result };
  } catch (error) {
    file?.drop();
    throw error;
  }
}
