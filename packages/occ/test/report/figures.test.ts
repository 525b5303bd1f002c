import { describe, expect, it } from 'vitest';
import {
  formatChange,
  formatCount,
  formatMinute,
  formatQuantity,
  formatSize,
  percentOf,
} from '../../src/report/figures.ts';
import { printable } from '../../src/report/printable.ts';
import { shortenPath } from '../../src/report/short-path.ts';

it.each([
  [0, '0'],
  [999, '999'],
  [1000, '1,000'],
  [184_000, '184,000'],
  [1_234_567.6, '1,234,568'],
])('the count %d reads %s', (count, text) => expect(formatCount(count)).toBe(text));

it.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1.0 KB'],
  [1536, '1.5 KB'],
  [128_000, '125 KB'],
  [1_048_575, '1.0 MB'],
  [52_428_800, '50 MB'],
  [1_073_741_824, '1.0 GB'],
])('%d bytes read %s', (bytes, text) => expect(formatSize(bytes)).toBe(text));

it('one is not many', () => {
  expect(formatQuantity(1, 'line')).toBe('1 line');
  expect(formatQuantity(2, 'line')).toBe('2 lines');
  expect(formatQuantity(0, 'entry', 'entries')).toBe('0 entries');
});

describe('percent', () => {
  it.each([
    [0, 100, 0],
    [100, 100, 100],
    [1, 1000, 1],
    [999, 1000, 99],
    [50, 0, 0],
    [-5, 100, 0],
  ])('%d of %d is %d%%: none and all only where they are so', (part, whole, percent) => {
    expect(percentOf(part, whole)).toBe(percent);
  });

  it('says what changed', () => {
    expect(formatChange(45, 38, formatCount)).toBe('45 → 38 (16% reduction)');
    expect(formatChange(45, 45, formatCount)).toBe('45 (unchanged)');
    expect(formatChange(100, 150, formatCount)).toBe('100 → 150 (50% increase)');
    expect(formatChange(0, 10, formatCount)).toBe('0 → 10 (increase)');
  });
});

it('a moment that is none is no failure', () => {
  expect(formatMinute(Date.UTC(2026, 0, 2, 3, 4))).toBe('2026-01-02 03:04 UTC');
  expect(formatMinute(Number.NaN)).toBe('an unknown time');
});

it.each([
  ['/home/user/.openclaw/x.jsonl', '/home/user', '~/.openclaw/x.jsonl'],
  ['/home/user', '/home/user/', '~'],
  ['/home/username/x', '/home/user', '/home/username/x'],
  ['/srv/x', '/home/user', '/srv/x'],
  ['/srv/x', '', '/srv/x'],
  ['/srv/x', '/', '/srv/x'],
  ['C:\\Users\\a\\x', 'C:\\Users\\a', '~\\x'],
])('%s below %s is shown as %s', (path, home, shown) => expect(shortenPath(path, home)).toBe(shown));

it('nothing from outside can steer the terminal', () => {
  expect(printable('a\u001b[2Jb\u0007c\r\nd\u009be\u202ef')).toBe('a�[2Jb�c��d�e�f');
  expect(shortenPath('/tmp/\u001b]0;title\u0007', '/home/user')).toBe('/tmp/�]0;title�');
  expect(printable('Grüße, 你好 🌱')).toBe('Grüße, 你好 🌱');
});
