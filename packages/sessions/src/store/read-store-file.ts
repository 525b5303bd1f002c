import { type BigIntStats, closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import { resolveWithinFolder } from '../disk/canonical-path.ts';
import { OpenBotError } from '../errors.ts';
import type { Pieces } from './pieces.ts';

/** Tells one version of a file from another without reading it. */
export interface FileSignature {
  dev: bigint;
  ino: bigint;
  size: bigint;
  mtimeNs: bigint;
  ctimeNs: bigint;
}

/** More than this is no store but a mistake, and close to what a string can hold. */
export const MAX_STORE_BYTES = 256 * 1024 * 1024;

/** The file that a store path means: itself, or the file beside it that it links to. */
export function locateStoreFile(path: string): string {
  try {
    return resolveWithinFolder(path);
  } catch (error) {
    throw error instanceof OpenBotError ? error : unreadable(path, (error as Error).message, error);
  }
}

/** Undefined when there is no file. A symbolic link has the signature of the file it leads to. */
export function statStoreFile(path: string): FileSignature | undefined {
  let stat: BigIntStats | undefined;
  try {
    stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (stat?.isSymbolicLink()) stat = lstatSync(locateStoreFile(path), { bigint: true });
  } catch (error) {
    throw error instanceof OpenBotError ? error : unreadable(path, (error as Error).message, error);
  }
  if (stat === undefined) return undefined;
  if (!stat.isFile())
    throw unreadable(path, stat.isDirectory() ? 'it is a folder' : 'it is not a regular file');
  return signatureOf(stat);
}

export function isSameVersion(a: FileSignature, b: FileSignature): boolean {
  return (
    a.ino === b.ino &&
    a.mtimeNs === b.mtimeNs &&
    a.size === b.size &&
    a.ctimeNs === b.ctimeNs &&
    a.dev === b.dev
  );
}

/** The content together with the signature it had; read again if it changed meanwhile. */
export function readStoreFile(path: string): { content: Buffer; signature: FileSignature } | undefined {
  for (let attempt = 0; ; attempt++) {
    const read = readOnce(path);
    if (read === undefined || read.settled || attempt === 4) return read;
  }
}

function readOnce(path: string): { content: Buffer; signature: FileSignature; settled: boolean } | undefined {
  return withOpenFile(path, (fd, before) => {
    const content = readAll(fd, Number(before.size));
    const signature = signatureOf(before);
    const after = signatureOf(fstatSync(fd, { bigint: true }));
    return {
      content,
      signature,
      settled: isSameVersion(signature, after) && content.length === Number(before.size),
    };
  });
}

// One for all: a new one of the size of a store at every look would keep the garbage collector busy.
const chunk = Buffer.allocUnsafeSlow(64 * 1024);

/** The signature of the file if it holds exactly these bytes. */
export function compareStoreFile(path: string, bytes: Pieces): FileSignature | undefined {
  return withOpenFile(path, (fd, before) => {
    if (Number(before.size) !== bytes.length) return undefined;
    let place = 0;
    for (const piece of bytes.list) {
      for (let at = 0; at < piece.length; ) {
        const count = readSync(fd, chunk, 0, Math.min(chunk.length, piece.length - at), place);
        if (count === 0 || piece.compare(chunk, 0, count, at, at + count) !== 0) return undefined;
        at += count;
        place += count;
      }
    }
    const signature = signatureOf(before);
    return isSameVersion(signature, signatureOf(fstatSync(fd, { bigint: true }))) ? signature : undefined;
  });
}

/** Undefined when there is no file. */
function withOpenFile<T>(path: string, read: (fd: number, before: BigIntStats) => T): T | undefined {
  if (statStoreFile(path) === undefined) return undefined;
  let fd: number;
  try {
    // Neither wait for a pipe nor follow a link that was put here since.
    const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);
    fd = openSync(locateStoreFile(path), flags);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error instanceof OpenBotError ? error : unreadable(path, (error as Error).message, error);
  }
  try {
    const before = fstatSync(fd, { bigint: true });
    if (!before.isFile()) throw unreadable(path, 'it is not a regular file');
    if (before.size > MAX_STORE_BYTES) {
      throw unreadable(
        path,
        `it has ${before.size} bytes, more than the ${MAX_STORE_BYTES} that a store may have`,
      );
    }
    return read(fd, before);
  } catch (error) {
    throw error instanceof OpenBotError ? error : unreadable(path, (error as Error).message, error);
  } finally {
    closeSync(fd);
  }
}

function readAll(fd: number, size: number): Buffer {
  const content = Buffer.allocUnsafe(size);
  let filled = 0;
  while (filled < size) {
    const count = readSync(fd, content, filled, size - filled, filled);
    if (count === 0) break;
    filled += count;
  }
  return content.subarray(0, filled);
}

export function signatureOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): FileSignature {
  return { dev, ino, size, mtimeNs, ctimeNs };
}

function unreadable(path: string, why: string, cause?: unknown): OpenBotError {
  return new OpenBotError('STORE_UNREADABLE', `Cannot read the session store ${path}: ${why}`, {
    hint: 'It was not changed. Check the path and who may read it.',
    cause,
  });
}
