import { describe, expect, it } from 'vitest';
import { compileMentionPatterns } from '../../../src/turn/words/compile-mention-patterns.ts';
import { hasMention, stripMentions } from '../../../src/turn/words/strip-mentions.ts';
import { stripStructuralPrefixes } from '../../../src/turn/words/strip-structural-prefixes.ts';

describe('stripMentions', () => {
  const words = { patterns: compileMentionPatterns(['@?clawd\\b']).regexes, botUsername: '@my.bot' };

  it.each([
    ['@my.bot what do you think?', 'what do you think?'],
    ['@My.Bot: hello', 'hello'],
    ['what do you think, @my.bot', 'what do you think,'],
    ['hey @clawd come here', 'hey come here'],
    ['Clawd, help', 'help'],
    ['@4915112345678 hi', 'hi'],
    ['<@123456789> hi', 'hi'],
    ['<@!123> /new', '/new'],
    ['first\n@my.bot second\n  indented  text', 'first\nsecond\n  indented  text'],
    ['mail me@my.bot', 'mail me@my.bot'],
    ['@my.bottle', '@my.bottle'],
    ['call @123', 'call @123'],
    ['@myxbot', '@myxbot'],
  ])('%j becomes %j', (text, expected) => {
    expect(stripMentions(text, words)).toBe(expected);
  });

  it('recognises a mention that is hidden by invisible characters', () => {
    expect(hasMention('@my\u200b.bot hi', words)).toBe(true);
    expect(hasMention('CLAWD?', words)).toBe(true);
    expect(hasMention('nothing', words)).toBe(false);
    expect(hasMention('@my.bot', words) && hasMention('@my.bot', words)).toBe(true);
  });

  it.each(['my-bot', 'bot+1', '机器人', '😀bot', 'a(b', ''])('takes any username: %j', (botUsername) => {
    expect(hasMention(`hi @${botUsername}, there`, { botUsername })).toBe(botUsername !== '');
    expect(stripMentions(`@${botUsername} hi`, { botUsername })).toBe(botUsername === '' ? '@ hi' : 'hi');
  });

  it('finds a mention at the end of a long text', () => {
    expect(hasMention(`${'x '.repeat(10_000)} @my.bot`, words)).toBe(true);
  });

  it('handles 10 MB', () => {
    for (const piece of ['@', ' ', '<@', 'clawd ']) {
      expect(stripMentions(piece.repeat(10_000_000 / piece.length), words).length).toBeLessThanOrEqual(
        10_000_000,
      );
    }
  });
});

describe('compileMentionPatterns', () => {
  it('rejects what cannot be used, and says why', () => {
    const { regexes, rejected } = compileMentionPatterns(['bot', '(a+)+', '(', 'x*', ' ']);
    expect(regexes).toEqual([/bot/gi]);
    expect(rejected).toEqual([
      { pattern: '(a+)+', reason: 'it repeats a group that contains a repetition' },
      { pattern: '(', reason: expect.stringContaining('Invalid regular expression') },
      { pattern: 'x*', reason: 'it matches an empty text' },
    ]);
  });
});

describe('stripStructuralPrefixes', () => {
  it.each([
    ['[Dec 4 17:35] hello', 'hello'],
    ['[Dec 4 17:35] Alice: /new', '/new'],
    ['[WhatsApp 120363@g.us 2026-01-13T07:45Z] Alice: hello\n[from: Alice (+1234567890)]', 'hello'],
    [
      '[Chat messages since your last reply - for context]\n[WhatsApp 1@g.us 2026-01-13T07:45Z] Bob: /reset\n\n' +
        '[Current message - respond to this]\n[WhatsApp 1@g.us 2026-01-13T07:46Z] Alice: /status',
      '/status',
    ],
    ['Alice: hello', 'Alice: hello'],
    ['[link](http://example.com) hello', '[link](http://example.com) hello'],
    ['[ ] a task', '[ ] a task'],
  ])('%j becomes %j', (text, expected) => {
    expect(stripStructuralPrefixes(text)).toBe(expected);
  });

  it('handles 10 MB', () => {
    for (const piece of ['[', ' ', '[1:00] ', '\n[from: ']) {
      expect(stripStructuralPrefixes(piece.repeat(10_000_000 / piece.length)).length).toBeLessThanOrEqual(
        10_000_000,
      );
    }
  });
});
