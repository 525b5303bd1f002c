import { closeSync, fdatasync, ftruncate, openSync, read, write } from 'node:fs';
import { promisify } from 'node:util';

const datasync = promisify(fdatasync);
const truncate = promisify(ftruncate);
const readAsync = promisify(read);
const writeAsync = promisify(write);

/** A file that is open for reading: an OpenFile, or a FileHandle of Node. */
export interface ReadableFile {
  readonly fd: number;
  read(bytes: Buffer, offset: number, length: number, position: number): Promise<{ bytesRead: number }>;
}

/**
 * As a FileHandle, but opened and closed at once: for a file of a local disk that takes some microseconds, and asking another
 * thread for it takes ten times as long. The caller must close it.
 */
export class OpenFile implements ReadableFile {
  readonly fd: number;
  #isClosed = false;

  constructor(path: string, flags: number) {
    this.fd = openSync(path, flags);
  }

  read(bytes: Buffer, offset: number, length: number, position: number): Promise<{ bytesRead: number }> {
    return readAsync(this.fd, bytes, offset, length, position);
  }

  /** At the end, where the file was opened for appending. */
  write(bytes: Buffer): Promise<{ bytesWritten: number }> {
    return writeAsync(this.fd, bytes, 0, bytes.length, null);
  }

  datasync(): Promise<void> {
    return datasync(this.fd);
  }

  truncate(size: number): Promise<void> {
    return truncate(this.fd, size);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    closeSync(this.fd);
  }

  /** Closes it where it is open still, whatever the system says. */
  end(): void {
    try {
      this.close();
    } catch {
      // What was to be known of the file is known.
    }
  }
}
