import { formatCount, formatPercent, percentOf } from '@openbot/sessions/terminal-text';
import { describe, expect, it } from 'vitest';
import { formatChange, formatMinute, formatSize } from '../../src/report/figures.ts';
import { shortenPath } from '../../src/report/short-path.ts';

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

describe('percent', () => {
  it.each([
    [0, 100, 0],
    [100, 100, 100],
    [1, 1000, 1],
    [999, 1000, 99],
    [50, 0, 0],
    [-5, 100, 0],
  ])('%d of %d is %d percent: none and all only where they are so', (part, whole, percent) => {
    expect(percentOf(part, whole)).toBe(percent);
  });

  it('shows a share that rounds to none', () => {
    const shares = [0, 1, 999, 1000, 199_999, 200_000].map((part) => formatPercent(part, 200_000));
    expect(shares).toEqual(['0%', '<1%', '<1%', '1%', '99%', '100%']);
  });

  it('says what changed', () => {
    expect(formatChange(45, 38, formatCount)).toBe('45 → 38 (16% reduction)');
    expect(formatChange(45, 45, formatCount)).toBe('45 (unchanged)');
    expect(formatChange(100, 150, formatCount)).toBe('100 → 150 (50% increase)');
    expect(formatChange(0, 10, formatCount)).toBe('0 → 10 (increase)');
  });
});

it('an invalid time causes no error', () => {
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
  expect(shortenPath('/tmp/\u001b]0;title\u0007', '/home/user')).toBe('/tmp/�]0;title�');
});
