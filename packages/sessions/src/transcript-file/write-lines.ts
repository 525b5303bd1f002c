import { fstatSync, writeSync } from 'node:fs';
import type { OpenFile } from '../disk/open-file.ts';
import { OpenBotError } from '../errors.ts';
import { describeFileFault } from './file-faults.ts';
import { SMALL } from './file-parts.ts';

/** The steps that a full or failing disk can break. Tests put faults in their place. */
export interface AppendIo {
  /** One write(2) at the end of the file. May write less than asked for. */
  write(handle: OpenFile, bytes: Buffer): Promise<number>;
  sync(handle: OpenFile): Promise<void>;
  truncate(handle: OpenFile, size: number): Promise<void>;
}

export const realAppendIo: AppendIo = {
  write: async (handle, bytes) =>
    bytes.length > SMALL
      ? (await handle.write(bytes)).bytesWritten
      : writeSync(handle.fd, bytes, 0, bytes.length, null),
  sync: (handle) => handle.datasync(),
  truncate: (handle, size) => handle.truncate(size),
};

/**
 * Puts whole lines at the end of a file that was `size` bytes long, all or nothing: what a failing disk let through is
 * taken back. The file must be open for appending, and its lock be held.
 */
export async function writeLines(
  handle: OpenFile,
  path: string,
  size: number,
  bytes: Buffer,
  options: { durable: boolean; io: AppendIo },
): Promise<void> {
  let written = 0;
  try {
    while (written < bytes.length) {
      const count = await options.io.write(handle, written === 0 ? bytes : bytes.subarray(written));
      if (count <= 0) throw new Error('the system wrote nothing');
      written += count;
    }
    if (options.durable) await options.io.sync(handle);
  } catch (cause) {
    throw await takeBack(handle, path, size, written, options.io, cause);
  }
}

async function takeBack(
  handle: OpenFile,
  path: string,
  size: number,
  written: number,
  io: AppendIo,
  cause: unknown,
): Promise<OpenBotError> {
  const fault = describeFileFault(path, cause, 'write');
  try {
    const now = fstatSync(handle.fd).size;
    if (now === size) return fault;
    // A program that takes no lock wrote after us: truncating would remove its line too.
    if (now !== size + written) throw new Error('another program wrote to the file at the same time');
    await io.truncate(handle, size);
    return fault;
  } catch (second) {
    return new OpenBotError(
      'TRANSCRIPT_WRITE_FAILED',
      `${fault.message}; the part that was written could not be removed: ${(second as Error).message}`,
      { hint: 'Readers skip the unfinished line, and the next append puts it on a line of its own.', cause },
    );
  }
}
