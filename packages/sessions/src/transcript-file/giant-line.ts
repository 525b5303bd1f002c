import type { ReadableFile } from '../disk/open-file.ts';

const CHUNK = 1024 * 1024;
const LONGEST_CAPTURE = 256;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * The wanted string fields of one JSON object that is too long to be parsed, read in one pass and constant memory.
 * Undefined when the bytes do not have the shape of one whole object.
 */
export async function readTopLevelStrings(
  handle: ReadableFile,
  start: number,
  end: number,
  wanted: readonly string[],
): Promise<Record<string, string> | undefined> {
  const scanner = new TopLevelScanner(wanted);
  const buffer = Buffer.allocUnsafe(CHUNK);
  for (let at = start; at < end; ) {
    const { bytesRead } = await handle.read(buffer, 0, Math.min(CHUNK, end - at), at);
    if (bytesRead === 0 || !scanner.push(buffer, bytesRead)) return undefined;
    at += bytesRead;
  }
  return scanner.finish();
}

class TopLevelScanner {
  readonly #wanted: readonly string[];
  readonly #found: Record<string, string> = {};
  #depth = 0;
  #closed = false;
  #inString = false;
  #escaped = false;
  /** The last string of the outermost object; undefined when something else came since. */
  #text: number[] | undefined;
  #key: string | undefined;

  constructor(wanted: readonly string[]) {
    this.#wanted = wanted;
  }

  push(bytes: Buffer, count: number): boolean {
    for (let i = 0; i < count; i++) {
      const byte = bytes[i]!;
      if (this.#inString ? !this.#inside(byte) : !this.#outside(byte)) return false;
    }
    return true;
  }

  finish(): Record<string, string> | undefined {
    return this.#closed ? this.#found : undefined;
  }

  #inside(byte: number): boolean {
    if (byte < 0x20) return false;
    if (!this.#escaped && byte === QUOTE) {
      this.#inString = false;
      return true;
    }
    this.#escaped = !this.#escaped && byte === BACKSLASH;
    if (this.#text !== undefined && this.#text.length <= LONGEST_CAPTURE) this.#text.push(byte);
    return true;
  }

  #outside(byte: number): boolean {
    switch (byte) {
      case 0x20:
      case 0x09:
      case 0x0d:
        return true;
      case QUOTE:
        this.#inString = true;
        this.#text = this.#depth === 1 ? [] : undefined;
        return this.#depth > 0;
      case 0x3a: // :
        if (this.#depth === 1) this.#key = this.#takeText();
        return this.#depth > 0;
      case 0x2c: // ,
        if (this.#depth === 1) this.#endField();
        return this.#depth > 0;
      case 0x7b: // {
      case 0x5b: // [
        this.#depth++;
        if (this.#depth === 2) this.#text = undefined;
        return !this.#closed && (this.#depth > 1 || byte === 0x7b);
      case 0x7d: // }
      case 0x5d: // ]
        if (this.#depth === 1) this.#endField();
        this.#depth--;
        this.#closed = this.#depth === 0;
        return this.#depth >= 0;
      default:
        return this.#depth > 0 && byte > 0x20;
    }
  }

  #endField(): void {
    const value = this.#takeText();
    if (this.#key === undefined || !this.#wanted.includes(this.#key)) return;
    if (value === undefined) delete this.#found[this.#key];
    else this.#found[this.#key] = value;
    this.#key = undefined;
  }

  #takeText(): string | undefined {
    const bytes = this.#text;
    this.#text = undefined;
    if (bytes === undefined || bytes.length > LONGEST_CAPTURE) return undefined;
    try {
      return JSON.parse(`"${Buffer.from(bytes).toString('utf8')}"`);
    } catch {
      return undefined;
    }
  }
}
