import { expect, test } from 'vitest';
import { parseDuration, parseTimeOfDay } from '../../src/config/duration.ts';

test.each([
  ['30m', 1_800_000],
  ['45', 2_700_000],
  ['1h30m', 5_400_000],
  [' 1.5H ', 5_400_000],
  ['90s', 90_000],
  ['1d', 86_400_000],
  ['250ms', 250],
  ['0m', 0],
  ['', undefined],
  ['soon', undefined],
  ['-5m', undefined],
  ['5 m', undefined],
  ['m', undefined],
])('%j is a length of %s ms', (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test.each([
  ['00:00', 0],
  ['08:30', 510],
  ['24:00', 1440],
  ['24:01', undefined],
  ['8:30', undefined],
  ['12:60', undefined],
])('%j is minute %s of the day', (text, minutes) => {
  expect(parseTimeOfDay(text)).toBe(minutes);
});
