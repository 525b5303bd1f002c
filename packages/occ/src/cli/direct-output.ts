import { fstatSync, writeSync } from 'node:fs';
import type { OutputStream } from './open-terminal.ts';

/**
 * Standard output or standard error. A pipe, a socket or a file is written to directly: Node's own stream would have to
 * be loaded first, with all of its network, and that takes as long as a short command.
 */
export function openOutput(fd: 1 | 2): OutputStream {
  return isPlain(fd) ? { write: (text) => writeWhole(fd, Buffer.from(text)) } : openStream(fd);
}

function isPlain(fd: number): boolean {
  try {
    const stats = fstatSync(fd);
    return stats.isFIFO() || stats.isSocket() || stats.isFile();
  } catch {
    return false;
  }
}

function writeWhole(fd: 1 | 2, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(fd, bytes, at);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // `occ list | head -1`: the reader has what it wanted. The work itself goes on.
      if (code === 'EPIPE') return;
      if (code !== 'EAGAIN') throw error;
      // Whoever opened it does not want to be waited for; the stream waits on its own.
      openStream(fd).write(bytes.subarray(at));
      return;
    }
  }
}

function openStream(fd: 1 | 2): NodeJS.WriteStream {
  const stream = fd === 1 ? process.stdout : process.stderr;
  if (!stream.listeners('error').includes(ignoreClosedPipe)) stream.on('error', ignoreClosedPipe);
  return stream;
}

function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}
