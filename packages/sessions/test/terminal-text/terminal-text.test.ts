import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import {
  cutEnd,
  cutMiddle,
  formatAge,
  formatCount,
  formatQuantity,
  formatUsd,
  oneLine,
  padEnd,
  padStart,
  paletteFor,
  printable,
  shorten,
  textWidth,
} from '../../src/exports/terminal-text.ts';

describe('text for a terminal', () => {
  it('has no characters that act or hide', () => {
    expect(printable('a\u001b[31m\u0007\nb\u202ec\u200bd\u{e0041}\ud800')).toBe('a�[31m��b�c�d��');
    expect(printable('a\u061cb\u3164c\u{e0100}d\u{e01ef}e')).toBe('a�b�c�d�e');
    expect(printable('né 漢字 👩‍💻 می‌خواهم')).toBe('né 漢字 👩‍💻 می‌خواهم');
  });

  it('keeps unseen characters where they are part of a seen one', () => {
    const tag = (letters: string) =>
      [...letters].map((letter) => String.fromCodePoint(0xe0000 + letter.codePointAt(0)!)).join('');
    const flag = (letters: string) => `\u{1f3f4}${tag(letters)}\u{e007f}`;
    const whole = `${flag('gbeng')} ${flag('gbsct')} ${flag('gbwls')} 葛\u{e0100}飾 ❤\ufe0f`;
    expect(printable(whole)).toBe(whole);
    expect(textWidth(flag('gbeng'))).toBe(2);
    expect(printable(flag('hidden text'))).toBe(`\u{1f3f4}${'�'.repeat(12)}`);
    expect(printable(tag('gbeng'))).toBe('�����');
    expect(printable('葛\u{e0100}\u{e0101}')).toBe('葛\u{e0100}�');
  });

  it('is put on one line', () => {
    expect(oneLine('  a\r\n\tb \u0000 ')).toBe('a b �');
  });

  it('is shortened by characters, not by halves of them', () => {
    expect(shorten('abcd', 4)).toBe('abcd');
    expect(shorten('abcde', 4)).toBe('abc…');
    expect(shorten('ab cde', 4)).toBe('ab…');
    expect(shorten('😀😀😀😀', 4)).toBe('😀😀😀😀');
    expect(shorten('😀😀😀😀😀', 4)).toBe('😀😀😀…');
    expect(shorten('x'.repeat(10_000_000), 3)).toBe('xx…');
  });

  it('is measured, padded and cut by columns', () => {
    expect(textWidth('漢字')).toBe(4);
    expect(padEnd('漢', 4)).toBe('漢  ');
    expect(padStart('漢', 4)).toBe('  漢');
    expect(cutEnd('漢字漢字', 5)).toBe('漢字…');
    expect(cutEnd('abc', 3)).toBe('abc');
    expect(cutEnd('abcd', 3)).toBe('ab…');
    expect(cutMiddle('abc', 3)).toBe('abc');
    expect(cutMiddle('/a/日本語', 6)).toBe('/…本語');
    expect(cutMiddle('agent:main:telegram:group:-100123:topic:5', 20)).toBe('agent:…00123:topic:5');
    expect(cutMiddle('漢字漢字漢字', 8)).toBe('漢…漢字');
    expect(['abc', '日本', 'é', '👍', ''].map(textWidth)).toEqual([3, 4, 1, 2, 0]);
    expect(cutEnd('x'.repeat(10_000_000), 3)).toBe('xx…');
  });

  it.each(['🇩🇪', '👨‍👩‍👧', '❤️', '👍🏽', '1️⃣'])('%s takes two columns and is never cut apart', (emoji) => {
    expect(textWidth(emoji)).toBe(2);
    expect(padEnd(emoji, 4)).toBe(`${emoji}  `);
    expect(cutEnd(`${emoji}${emoji}a`, 4)).toBe(`${emoji}…`);
    expect(cutMiddle(`${emoji}abc${emoji}${emoji}`, 7)).toBe(`${emoji}…${emoji}${emoji}`);
    expect(cutMiddle(`a${emoji}${emoji}b`, 4)).toBe('a…b');
  });

  it('is as wide as the library says, also where that is not asked', () => {
    const joiners = ['', '\u0301', '\u200d', '\ufe0f', '\u{1f3fd}'];
    const wrong: string[] = [];
    for (let code = 0x20; code < 0x1fb00; code++) {
      if (code === 0x2e00) code = 0xff00;
      if (code === 0x10000) code = 0x1f000;
      for (const joiner of code % 16 === 0 ? joiners : ['']) {
        const text = `a${String.fromCodePoint(code)}${joiner}b`;
        if (textWidth(text) !== stringWidth(text)) wrong.push(code.toString(16));
      }
    }
    for (const text of ['日本語', 'かな カナ', '한국어', '！（）', 'ﾊﾝｶｸ']) {
      expect([text, textWidth(text)]).toEqual([text, stringWidth(text)]);
    }
    expect(wrong).toEqual([]);
  });

  it('is coloured without a change to what is read', () => {
    const { bold, red } = paletteFor(true);
    expect(bold(red('stop'))).toBe('\u001b[1m\u001b[31mstop\u001b[39m\u001b[22m');
    expect(red('')).toBe('');
    for (const paint of Object.values(paletteFor(false))) expect(paint('stop')).toBe('stop');
  });
});

describe('figures', () => {
  it.each([
    [1, '1 stash'],
    [0, '0 stashes'],
    [999, '999 stashes'],
    [1000, '1,000 stashes'],
    [1234567, '1,234,567 stashes'],
    [1_234_567.6, '1,234,568 stashes'],
  ])('%d', (count, text) => {
    expect(formatQuantity(count, 'stash', 'stashes')).toBe(text);
    expect(text.startsWith(formatCount(count))).toBe(true);
  });

  it('one is not many', () => {
    expect([1, 2].map((count) => formatQuantity(count, 'line'))).toEqual(['1 line', '2 lines']);
  });

  const minute = 60_000;
  const day = 24 * 60 * minute;
  it.each<[number, string]>([
    [-5, 'just now'],
    [minute - 1, 'just now'],
    [minute, '1 min ago'],
    [60 * minute - 1, '59 min ago'],
    [60 * minute, '1 h ago'],
    [day, '1 day ago'],
    [59 * day, '59 days ago'],
    [61 * day, '2 months ago'],
    [400 * day, '13 months ago'],
    [3 * 366 * day, '3 years ago'],
    [Number.NaN, 'at an unknown time'],
  ])('an age of %d ms', (age, text) => {
    expect(formatAge(0, age)).toBe(text);
  });

  it.each<[number, string]>([
    [0, '$0.00'],
    [5, '$5.00'],
    [0.1 + 0.2, '$0.30'],
    [0.001, '$0.0010'],
    [1.0525, '$1.0525'],
  ])('an amount of %d dollars', (usd, text) => {
    expect(formatUsd(usd)).toBe(text);
  });
});
