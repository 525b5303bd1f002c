import { Kernel } from './kernel.ts';

/** Of a record: the length of its string, and where the string begins. */
const LENGTH_AT = 4;
const BYTES_AT = 12;

/**
 * Strings held once, as bytes, and named by numbers. A transcript has several ids a line, hundreds of thousands in
 * all; as strings in a Map they would cost more memory than all else that is kept of it.
 */
export class StringTable {
  readonly kernel = new Kernel();

  get size(): number {
    return this.kernel.code.size();
  }

  /** The number of a string that is given as UTF-8. */
  intern(bytes: Uint8Array, start = 0, end = bytes.length): number {
    const at = this.kernel.placeText(bytes.subarray(start, end));
    return this.kernel.code.intern(at, end - start);
  }

  internText(text: string): number {
    return this.intern(Buffer.from(text));
  }

  /** The number of a string, or -1 where it is not in the table. */
  find(text: string): number {
    const bytes = Buffer.from(text);
    return this.kernel.code.find(this.kernel.placeText(bytes), bytes.length);
  }

  text(number: number): string {
    const { code, bytes, figures } = this.kernel;
    const record = code.recordOf(number);
    const start = record + BYTES_AT;
    return bytes.toString('utf8', start, start + figures[(record + LENGTH_AT) >> 2]!);
  }
}
