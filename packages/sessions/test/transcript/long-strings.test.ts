import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cases, HUNT } from '../../../../test/setup/hunt.ts';
import { KEPT_STRING_BYTES, LongStrings } from '../../src/transcript/long-strings.ts';

/** Onto itself, in pieces that end anywhere. */
function cut(line: Buffer, ends: readonly number[]): Buffer {
  const bytes = Buffer.from(line);
  const strings = new LongStrings();
  let at = 0;
  let from = 0;
  for (const end of [...new Set([...ends, bytes.length])].sort((one, other) => one - other)) {
    at = strings.copy(bytes, from, end, bytes, at);
    from = end;
  }
  return bytes.subarray(0, at);
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return 'broken';
  }
}

/** What is left of a value whose texts are cut. */
function shorten(value: unknown, cutTexts: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return cutTexts.get(value) ?? value;
  if (Array.isArray(value)) return value.map((item) => shorten(item, cutTexts));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, shorten(item, cutTexts)]));
}

const LONG = KEPT_STRING_BYTES * 2;
/** Texts that are cut, each with what is left of it. */
const TEXTS: ReadonlyMap<string, string> = new Map(
  (
    [
      ['a', 1],
      ['é', 2],
      ['登', 3],
      ['😀', 4],
      ['\n', 2],
      ['"', 2],
      ['\\', 2],
      ['\u0001', 6],
    ] as const
  ).map(([unit, bytes]) => [unit.repeat(LONG), unit.repeat(Math.ceil(KEPT_STRING_BYTES / bytes))]),
);

test('the copy of any value is the value with shorter texts, wherever the pieces end', HUNT, () => {
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(...TEXTS.keys()));
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', maxDepth: 3 },
      text,
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(fc.string(), tie('value'), { maxKeys: 4, noNullPrototype: true }),
    ),
  }));
  fc.assert(
    fc.property(
      value,
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 6 }),
      (any, parts) => {
        const line = Buffer.from(JSON.stringify(any));
        const ends = parts.map((part) => Math.floor(line.length * part));
        expect(parse(cut(line, ends))).toEqual(shorten(JSON.parse(line.toString()), TEXTS));
      },
    ),
    cases({ gate: 12, torture: 1500, seed: 3 }),
  );
});

test.each([
  ['a control character', '\n'],
  ['an escape that there is not', '\\q'],
  ['an escape that is cut short', '\\u12'],
  ['an escape without digits', '\\uzzzz'],
])('%s in what is left out breaks the copy as it breaks the line', (_, odd) => {
  const line = (inside: string) => Buffer.from(`{"a":"${'x'.repeat(LONG)}${inside}${'x'.repeat(9)}","b":1}`);
  expect(parse(cut(line('\\n\\u00e9'), []))).toMatchObject({ b: 1 });
  expect(parse(line(odd))).toBe('broken');
  expect(parse(cut(line(odd), []))).toBe('broken');
  expect(parse(cut(line(odd), [LONG + 7]))).toBe('broken');
});

test('a line that ends inside of a string is broken', () => {
  expect(parse(cut(Buffer.from(`{"a":"${'x'.repeat(LONG)}`), [LONG]))).toBe('broken');
});
