import { expect, test } from 'vitest';
import { toJsonText } from '../../src/terminal-text/json-text.ts';

const HOSTILE = '\u007f\u0085\u009b31m\u061c\u200b\u200e\u202e\u2028\u2066\ufeff\u{e0041}\u{e0100}';

test('characters that act or hide are written by their numbers, and the value stays the same', () => {
  const value = { [`key ${HOSTILE}`]: [`a${HOSTILE}b`], plain: 'ü 漢 👩‍👧 "\\' };
  for (const indent of [undefined, 2]) {
    const text = toJsonText(value, indent);
    expect(text).not.toMatch(/[\u007f-\u009f\u2028\u202e\u2066\ufeff]|[^\P{Cf}\u200d]|\u{e0100}/u);
    expect(text).toContain('ü 漢 👩‍👧');
    expect(JSON.parse(text)).toEqual(value);
  }
});

test('sums of money have no digits that mean nothing', () => {
  expect(toJsonText({ costUsd: 0.1 + 0.2, other: 0.1 + 0.2 })).toBe(
    '{"costUsd":0.3,"other":0.30000000000000004}',
  );
});
