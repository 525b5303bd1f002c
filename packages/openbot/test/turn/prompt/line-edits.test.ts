import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cases, HUNT } from '../../../../../test/setup/hunt.ts';
import { applyEdits, compareLines } from '../../../src/turn/prompt/line-edits.ts';

test.each([
  ['a\nb\nc', 'a\nb\nc', []],
  ['a\nb\nc', 'a\nX\nc', [[1, 1, 'X']]],
  ['a\nb\nc', 'a\nb\nc\nd', [[3, 0, 'd']]],
  [
    'a\nb\nc\nd',
    'b\nc\nX\nd',
    [
      [0, 1],
      [3, 0, 'X'],
    ],
  ],
  ['', 'a\nb', [[0, 0, 'a', 'b']]],
  ['a', '', [[0, 1]]],
])('%j to %j', (before, after, edits) => {
  expect(compareLines(before, after)).toEqual(edits);
});

test('what is changed in a large text is found, and a text of other lines is replaced', () => {
  const lines = Array.from({ length: 3000 }, (_, n) => `line ${n}`);
  const changed = lines.with(5, 'new').toSpliced(2990, 1);
  expect(compareLines(lines.join('\n'), changed.join('\n')).length).toBeLessThanOrEqual(2);
  const others = lines.map((line) => `${line}!`);
  expect(compareLines(lines.join('\n'), others.join('\n'))).toEqual([[0, 3000, ...others]]);
});

test('the edits of any text make the other one of it', HUNT, () => {
  const text = fc
    .array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 })
    .map((lines) => lines.join('\n'));
  fc.assert(
    fc.property(text, text, (before, after) => {
      expect(applyEdits(before, compareLines(before, after))).toBe(after);
    }),
    cases({ gate: 300, torture: 20_000 }),
  );
});
