import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cases, HUNT } from '../../../../test/setup/hunt.ts';
import { LineSplitter } from '../../src/transcript/lines.ts';

interface Seen {
  text: string;
  offset: number;
  terminated: boolean;
}

function split(input: Buffer, cuts: readonly number[] = [], maxLine?: number): Seen[] {
  const seen: Seen[] = [];
  const sink = {
    line(bytes: Buffer, start: number, end: number, offset: number, terminated: boolean) {
      seen.push({ text: bytes.toString('latin1', start, end), offset, terminated });
    },
    oversize(offset: number, endOffset: number, terminated: boolean) {
      seen.push({ text: `oversize ${endOffset - offset}`, offset, terminated });
    },
  };
  const splitter = new LineSplitter(sink, maxLine);
  // One piece of memory for all chunks, with stale line feeds behind them, as a reader has it.
  const memory = Buffer.alloc(input.length + 16, '\n');
  let from = 0;
  for (const cut of [...cuts.map((c) => c % (input.length + 1)).sort((a, b) => a - b), input.length]) {
    const count = input.copy(memory, 0, from, cut);
    if (count > 0) splitter.push(memory, count);
    from = cut;
  }
  splitter.finish();
  expect(splitter.offset).toBe(input.length);
  return seen;
}

/** The plain way: cut the whole text at line feeds. */
function reference(input: Buffer): Seen[] {
  const seen: Seen[] = [];
  let offset = 0;
  while (offset < input.length) {
    const found = input.indexOf('\n', offset);
    const end = found < 0 ? input.length : found;
    const bom = offset === 0 && input.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf])) ? 3 : 0;
    const bare = found >= 0 && end > offset + bom && input[end - 1] === 0x0d ? end - 1 : end;
    seen.push({
      text: input.toString('latin1', offset + bom, bare),
      offset: offset + bom,
      terminated: found >= 0,
    });
    offset = end + 1;
  }
  return seen;
}

test('lines are the same however the bytes come', HUNT, () => {
  const piece = fc.constantFrom('a', 'bc', '\n', '\r\n', '\r', '\u2028', 'é', '😀', '\ufeff', '{"x":1}');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), fc.array(fc.nat()), (pieces, cuts) => {
      const input = Buffer.from(pieces.join(''));
      expect(split(input, cuts)).toEqual(reference(input));
    }),
    cases({ gate: 700, torture: 20_000 }),
  );
});

describe('line ends', () => {
  test.each([
    ['nothing', '', []],
    ['one without an end', 'a', ['a']],
    ['one with an end', 'a\n', ['a']],
    ['empty lines', '\n\n', ['', '']],
    ['CRLF', 'a\r\nb\r\n', ['a', 'b']],
    ['a lone carriage return is no line end', 'a\rb\n', ['a\rb']],
  ])('%s', (_, input, lines) => {
    expect(split(Buffer.from(input)).map((line) => line.text)).toEqual(lines);
  });

  test('line and paragraph separators are text', () => {
    const input = Buffer.from('{"a":"x\u2028y\u2029z\u0085"}\n');
    expect(split(input)).toHaveLength(1);
  });

  test('a byte order mark belongs to no line', () => {
    const [first] = split(Buffer.from('\ufeffabc\n'));
    expect(first).toEqual({ text: 'abc', offset: 3, terminated: true });
  });

  test('a byte order mark alone is a line of no length, without an end', () => {
    expect(split(Buffer.from('\ufeff'))).toEqual([{ text: '', offset: 3, terminated: false }]);
  });
});

describe('lines that are too long', () => {
  test('are reported by place, and the lines around them are read', () => {
    const input = Buffer.from(`one\n${'x'.repeat(100)}\ntwo\n`);
    for (const cuts of [[], [5], [50], [104], [10, 20, 30, 40, 50, 60]]) {
      expect(split(input, cuts, 20)).toEqual([
        { text: 'one', offset: 0, terminated: true },
        { text: 'oversize 100', offset: 4, terminated: true },
        { text: 'two', offset: 105, terminated: true },
      ]);
    }
  });

  test('also where they are last and have no end', () => {
    const input = Buffer.from(`one\n${'x'.repeat(100)}`);
    expect(split(input, [30, 60], 20).at(-1)).toEqual({ text: 'oversize 100', offset: 4, terminated: false });
  });

  test('exactly as long as allowed is not too long', () => {
    const input = Buffer.from(`${'x'.repeat(20)}\r\n${'y'.repeat(21)}\n`);
    for (const cuts of [[], [7], [21], [22], [30]]) {
      expect(split(input, cuts, 20).map((line) => line.text.slice(0, 8))).toEqual(['xxxxxxxx', 'oversize']);
    }
  });
});
