import { fstatSync, writeSync } from 'node:fs';

/** The part of `process.stdout` and `process.stderr` that a terminal needs. */
export interface OutputStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
  /** What was written and has not left the process. */
  readonly writableLength?: number;
}

/** Called once, with the error after which nothing is written to that output any more. */
type OnLost = (error: NodeJS.ErrnoException) => void;

/**
 * Standard output or standard error. A pipe, a socket or a file is written to directly: Node's stream would load all of
 * Node's network first, which takes as long as a short command. `write` never throws.
 */
export function openOutput(fd: 1 | 2, onLost: OnLost): OutputStream {
  let isLost = false;
  const lose: OnLost = (error) => {
    if (!isLost) onLost(error);
    isLost = true;
  };
  const terminal = isPlain(fd) ? undefined : openStream(fd, lose);
  if (terminal?.isTTY) return terminal;
  let stream: NodeJS.WriteStream | undefined;
  return {
    write: (text) => {
      if (isLost) return;
      const rest = stream === undefined ? writeDirectly(fd, Buffer.from(text), lose) : Buffer.from(text);
      if (rest === undefined) return;
      // From here on everything goes through the stream, so that nothing overtakes what it holds.
      stream ??= openStream(fd, lose);
      stream.write(rest);
    },
    get writableLength() {
      return stream?.writableLength ?? 0;
    },
  };
}

function isPlain(fd: number): boolean {
  try {
    const stats = fstatSync(fd);
    return stats.isFIFO() || stats.isSocket() || stats.isFile();
  } catch {
    return false;
  }
}

/** Returns what a descriptor that does not block did not take. */
function writeDirectly(fd: number, bytes: Buffer, onLost: OnLost): Buffer | undefined {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(fd, bytes, at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return bytes.subarray(at);
      onLost(error as NodeJS.ErrnoException);
      return undefined;
    }
  }
  return undefined;
}

function openStream(fd: 1 | 2, onLost: OnLost): NodeJS.WriteStream {
  const stream = fd === 1 ? process.stdout : process.stderr;
  stream.on('error', onLost);
  return stream;
}
