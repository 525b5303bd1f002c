import fc from 'fast-check';
import { expect, test } from 'vitest';
import { StringTable } from '../../src/transcript/skim/string-table.ts';

test('gives every string one number, and the string back', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 40 }), { maxLength: 300 }), (texts) => {
      const table = new StringTable();
      const numbers = new Map<string, number>();
      for (const text of texts) {
        const known = numbers.get(text);
        expect(table.find(text)).toBe(known ?? -1);
        const number = table.internText(text);
        if (known !== undefined) expect(number).toBe(known);
        numbers.set(text, number);
      }
      expect(table.size).toBe(numbers.size);
      for (const [text, number] of numbers) expect(table.text(number)).toBe(text);
    }),
  );
});

test('grows', () => {
  const table = new StringTable();
  for (let i = 0; i < 100_000; i++) expect(table.internText(`id-${i.toString(16)}`)).toBe(i);
  for (const i of [0, 1, 4095, 65_536, 99_999]) {
    expect(table.text(i)).toBe(`id-${i.toString(16)}`);
    expect(table.find(`id-${i.toString(16)}`)).toBe(i);
  }
  expect(table.find('id-nope')).toBe(-1);
});
