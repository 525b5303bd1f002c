import fc from 'fast-check';
import { type Spelling, spelling, spellJson } from './spell-json.ts';

/** A transcript as it lies on a disk. */
export class TranscriptBytes {
  readonly bytes: Buffer;
  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }
  /** How fast-check shows it. */
  [fc.toStringMethod](): string {
    return `\n${this.bytes.toString()}\n`;
  }
}

/** What surrounds a line, and how it is written. */
interface Dress {
  readonly spelling: Spelling;
  readonly end: '\n' | '\r\n';
  /** A line of no use before it. */
  readonly before: string | undefined;
  /** Something unknown at its top level. */
  readonly odd: string | undefined;
  /** Bytes that are no UTF-8, in an unknown field. */
  readonly badBytes: boolean;
}

/** A line with these is recognised by the text, which no rewriting may change. */
export const ODD_MEMBERS = [
  '"odd":1e400',
  '"odd":12345678901234567890',
  '"odd": -0.0',
  '"odd":1.50',
  '"odd":[ ]',
  '"odd":{"\\u0061":"\\ud83e"}',
  '"o\\u0064d":"\\/"',
  '"odd":1,"odd":2',
];

const BROKEN = ['', '  ', '\t', '{"type":"message","id', 'not json', '}', '{"a":1}{"b":2}', '\u0000', '🦞'];
/** JSON, but no object: pi takes such lines for entries. */
const NO_OBJECTS = ['[1,2]', '"text"', '7', 'null'];

const dress = (broken: readonly string[]): fc.Arbitrary<Dress> =>
  fc.record({
    spelling,
    end: fc.constantFrom('\n', '\n', '\n', '\r\n'),
    before: fc.option(fc.constantFrom(...broken), { nil: undefined, freq: 8 }),
    odd: fc.option(fc.constantFrom(...ODD_MEMBERS), { nil: undefined, freq: 5 }),
    badBytes: fc.integer({ min: 0, max: 30 }).map((roll) => roll === 30),
  });

const PLAIN_DRESS: fc.Arbitrary<Dress> = fc.constant({
  spelling: { gap: '', escapes: 'needed', escapedKeys: false, twice: undefined, firstOfTwice: 'null' },
  end: '\n',
  before: undefined,
  odd: undefined,
  badBytes: false,
});

export interface FileOptions {
  /** Only what pi reads as it reads other files. */
  readonly forPi?: boolean;
}

/** Writes the lines of a transcript down in one of many ways: plain, or with everything that goes wrong in files. */
export function writtenLines(
  lines: fc.Arbitrary<readonly object[]>,
  { forPi = false }: FileOptions = {},
): fc.Arbitrary<TranscriptBytes> {
  const odd = dress(forPi ? BROKEN : [...BROKEN, ...NO_OBJECTS]);
  return fc
    .tuple(
      lines,
      fc.oneof(
        { weight: 2, arbitrary: fc.array(PLAIN_DRESS, { minLength: 1, maxLength: 1 }) },
        { weight: 3, arbitrary: fc.array(odd, { minLength: 1, maxLength: 40 }) },
      ),
      fc.record({
        byteOrderMark: fc.integer({ min: 0, max: 20 }).map((roll) => !forPi && roll === 20),
        end: fc.constantFrom('whole', 'whole', 'whole', 'no line end', 'torn'),
      }),
    )
    .map(([objects, dresses, file]) => {
      const parts: Buffer[] = file.byteOrderMark ? [Buffer.from('\ufeff')] : [];
      for (const [position, object] of objects.entries()) {
        const line = dresses[position % dresses.length]!;
        if (line.before !== undefined && position > 0) parts.push(Buffer.from(`${line.before}${line.end}`));
        parts.push(writeLine(object, line));
        const last = position === objects.length - 1;
        if (!last || file.end !== 'no line end') parts.push(Buffer.from(line.end));
      }
      if (file.end === 'torn') parts.push(Buffer.from('{"type":"message","id":"torn0000","mess'));
      return new TranscriptBytes(Buffer.concat(parts));
    });
}

function writeLine(object: object, line: Dress): Buffer {
  const json = spellJson(object, line.spelling);
  const extra = [line.odd, line.badBytes ? '"bad":"\u0001"' : undefined].filter((part) => part !== undefined);
  if (extra.length === 0) return Buffer.from(json);
  const text = `${json.slice(0, -1)},${extra.join(',')}}`;
  const bytes = Buffer.from(text);
  // The control character stands for bytes that are no UTF-8: JSON text cannot hold it.
  const at = bytes.indexOf(1);
  if (at >= 0) bytes[at] = 0xff;
  return bytes;
}
