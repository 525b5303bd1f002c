import { readSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { OpenBotError } from '../errors.ts';

/** The file became shorter: another program rewrites it. */
export class SourceChanged extends OpenBotError {
  constructor(message = 'The session became shorter while it was read') {
    super('TRANSCRIPT_UNREADABLE', message, {
      hint: 'Nothing was changed. Another program rewrites the session: try again when it has finished.',
    });
  }
}

/** A read costs the process about 0.1 ms beside the copying. */
const WINDOW = 1024 * 1024;
/** A range up to this length may begin in one window and end in the next. Longer ones are read apart. */
const LONGEST = 64 * 1024;

interface Window {
  /** What was read begins at LONGEST; before it is the end of the window before. */
  readonly bytes: Buffer;
  /** Where in the file the bytes at LONGEST are. */
  origin: number;
  from: number;
  to: number;
}

/** Reads short ranges of a file, in their order, in windows. The disk fills the next window while one is used. */
export class SourceWindows {
  readonly #source: FileHandle;
  #current: Window | undefined;
  #ahead: Promise<Window> | undefined;

  constructor(source: FileHandle) {
    this.#source = source;
  }

  /** Whether `take` can be called for a range. */
  has(start: number, end: number): boolean {
    if (end - start > LONGEST) return true;
    return this.#current !== undefined && start >= this.#current.from && end <= this.#current.to;
  }

  /** One character a byte. */
  takeText(start: number, end: number): string {
    if (end - start > LONGEST) return readApart(this.#source, start, end).toString('latin1');
    const { bytes, origin } = this.#current!;
    return bytes.toString('latin1', LONGEST + start - origin, LONGEST + end - origin);
  }

  /** The bytes of a range, until the next call. */
  take(start: number, end: number): Buffer {
    if (end - start > LONGEST) return readApart(this.#source, start, end);
    const { bytes, origin } = this.#current!;
    return bytes.subarray(LONGEST + start - origin, LONGEST + end - origin);
  }

  /** Moves on to the window that has a range. */
  async moveTo(start: number, end: number): Promise<void> {
    const last = this.#current;
    const ahead = await this.#ahead;
    this.#ahead = undefined;
    let window = ahead;
    // After a gap the window that was read ahead may have the beginning of the range and not its end.
    if (window === undefined || end > window.to || !reachBack(window, start, last)) {
      window = await this.#fill(ahead ?? makeWindow(), start);
    }
    this.#current = window;
    if (!this.has(start, end)) throw new SourceChanged();
    // A short read was the end of the file.
    if (window.to - window.origin < WINDOW) return;
    this.#ahead = this.#fill(last ?? makeWindow(), window.to);
    // Noticed when the window is moved to.
    this.#ahead.catch(() => {});
  }

  async #fill(window: Window, origin: number): Promise<Window> {
    const { bytesRead } = await this.#source.read(window.bytes, LONGEST, WINDOW, origin);
    window.origin = origin;
    window.from = origin;
    window.to = origin + bytesRead;
    return window;
  }
}

function makeWindow(): Window {
  return { bytes: Buffer.allocUnsafeSlow(LONGEST + WINDOW), origin: 0, from: 0, to: 0 };
}

/** Takes over from the window before what a range needs of it. False where the range begins elsewhere. */
function reachBack(window: Window, start: number, last: Window | undefined): boolean {
  const missing = window.origin - start;
  if (missing <= 0) return start < window.to;
  if (last === undefined || last.to !== window.origin || start < last.from || missing > LONGEST) return false;
  const end = LONGEST + last.to - last.origin;
  last.bytes.copy(window.bytes, LONGEST - missing, end - missing, end);
  window.from = start;
  return true;
}

function readApart(source: FileHandle, start: number, end: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(end - start);
  for (let filled = 0; filled < bytes.length; ) {
    const count = readSync(source.fd, bytes, filled, bytes.length - filled, start + filled);
    if (count === 0) throw new SourceChanged();
    filled += count;
  }
  return bytes;
}
