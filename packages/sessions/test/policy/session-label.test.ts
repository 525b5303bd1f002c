import { describe, expect, it } from 'vitest';
import { parseSessionLabel, SESSION_LABEL_MAX_LENGTH } from '../../src/policy/session-label.ts';

describe('parseSessionLabel', () => {
  it('allows 64 characters', () => {
    expect(SESSION_LABEL_MAX_LENGTH).toBe(64);
  });

  it.each<[string, string]>([
    ['Taxes 2026', 'Taxes 2026'],
    ['  padded  ', 'padded'],
    ['x'.repeat(64), 'x'.repeat(64)],
    [` ${'x'.repeat(64)} `, 'x'.repeat(64)],
    ['😀'.repeat(64), '😀'.repeat(64)],
    ['ÄÖÜ ß', 'ÄÖÜ ß'],
    ['__proto__', '__proto__'],
  ])('%j', (raw, label) => {
    expect(parseSessionLabel(raw)).toEqual({ ok: true, label });
  });

  it.each<[unknown, RegExp]>([
    [undefined, /text/],
    [null, /text/],
    [7, /text/],
    [['x'], /text/],
    ['', /empty/],
    [' \n ', /empty/],
    ['x'.repeat(65), /64/],
    ['😀'.repeat(65), /64/],
    ['x'.repeat(10_000_000), /64/],
    ['two\nlines', /line ends/],
    ['nul\u0000', /control/],
    ['esc\u001b[2J', /control/],
    ['half \ud83d', /control/],
  ])('%j is refused', (raw, error) => {
    expect(parseSessionLabel(raw)).toEqual({ ok: false, error: expect.stringMatching(error) as string });
  });
});
