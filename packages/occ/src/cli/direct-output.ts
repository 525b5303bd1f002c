import { fstatSync, writeSync } from 'node:fs';
import { OpenBotError } from '@openbot/sessions';
import type { OutputStream } from './open-terminal.ts';

/**
 * Standard output or standard error. A pipe, a socket or a file is written to directly: Node's own stream would have to
 * be loaded first, with all of its network, and that takes as long as a short command. Throws where output cannot be
 * written; an error that cannot be told is dropped.
 */
export function openOutput(fd: 1 | 2): OutputStream {
  if (!isPlain(fd)) {
    const stream = openStream(fd);
    if (stream.isTTY) return stream;
  }
  return { write: (text) => writeWhole(fd, Buffer.from(text)) };
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
      if (code === 'EPIPE' || (fd === 2 && code !== 'EAGAIN')) return;
      if (code !== 'EAGAIN') throw describeFailure(error as Error);
      // Whoever opened it does not want to be waited for; the stream waits on its own.
      openStream(fd).write(bytes.subarray(at));
      return;
    }
  }
}

const WATCHED = new Set<NodeJS.WriteStream>();

function openStream(fd: 1 | 2): NodeJS.WriteStream {
  const stream = fd === 1 ? process.stdout : process.stderr;
  if (!WATCHED.has(stream)) stream.on('error', fd === 1 ? reportLateFailure : () => {});
  WATCHED.add(stream);
  return stream;
}

/** The command has ended by the time that a stream says so. */
function reportLateFailure(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') return;
  const { message, hint } = describeFailure(error);
  process.once('exit', () => {
    process.exitCode = 1;
  });
  openOutput(2).write(`Error: ${message}\n  ${hint}\n`);
}

function describeFailure(cause: Error): OpenBotError {
  return new OpenBotError('UNEXPECTED', `The output could not be written: ${cause.message}`, {
    hint: 'Check where it goes: a full disk, a closed file. A session that was changed or cloned stays so',
    cause,
  });
}
