import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseJson5 } from '../../src/layout/parse-json5.ts';

test('what people add to JSON', () => {
  const text = `\ufeff// a comment
  {
    /* another */ plain: 'single \\'quoted\\'', "double": "a\\u00e9\\x41\\n",
    $odd_name1: [1, +2, -3.5, .5, 5., 0xFF, 1e3, ], // trailing
    nested: { 'a b': true, no: false, none: null, },
    lines: 'one \\
two',
  }
  `;
  expect(parseJson5(text)).toEqual({
    plain: "single 'quoted'",
    double: 'aéA\n',
    $odd_name1: [1, 2, -3.5, 0.5, 5, 255, 1000],
    nested: { 'a b': true, no: false, none: null },
    lines: 'one two',
  });
});

test('JSON is read as JSON.parse reads it', () => {
  fc.assert(
    fc.property(fc.json(), fc.constantFrom(0, 2), (text, indent) => {
      const spaced = JSON.stringify(JSON.parse(text), null, indent);
      expect(JSON.stringify(parseJson5(spaced))).toBe(JSON.stringify(JSON.parse(spaced)));
    }),
  );
});

test.each([
  '',
  '{',
  '{a}',
  '{a:}',
  '{a:1 b:2}',
  '[1 2]',
  '"open',
  "'a\nb'",
  '{} {}',
  '01',
  '1x',
  '"\\u12"',
  '/* open',
  'undefined',
])('%j is refused with the line', (text) => {
  expect(() => parseJson5(text)).toThrow(/^line \d+: /);
});

test('nesting and names cannot do harm', () => {
  expect(() => parseJson5('['.repeat(100_000))).toThrow('nested too deeply');
  const read = parseJson5('{ __proto__: { polluted: 1 }, constructor: 2 }') as Record<string, unknown>;
  expect(Object.keys(read)).toEqual(['__proto__', 'constructor']);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});
