import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases, HUNT } from '../../../../../test/setup/hunt.ts';
import { finalizeInboundContext } from '../../../src/turn/inbound/finalize-inbound-context.ts';
import { compileMentionPatterns } from '../../../src/turn/words/compile-mention-patterns.ts';
import { normalizeInboundTextNewlines } from '../../../src/turn/words/normalize-inbound-text-newlines.ts';
import { hostileText } from '../words/hostile-text.ts';

describe('normalizeInboundTextNewlines', () => {
  it.each([
    ['a\r\nb', 'a\nb'],
    ['a\rb', 'a\nb'],
    ['a\\nb', 'a\nb'],
    ['a\\r\\nb', 'a\nb'],
    ['note:\\nnext', 'note:\nnext'],
    ['plain', 'plain'],
    ['C:\\new\\notes.txt', 'C:\\new\\notes.txt'],
    ['look at "D:\\n.txt"\\nplease', 'look at "D:\\n.txt"\nplease'],
    ['\\\\server\\nightly', '\\\\server\\nightly'],
  ])('%j becomes %j', (text, expected) => {
    expect(normalizeInboundTextNewlines(text)).toBe(expected);
  });

  it('handles 10 MB of backslashes and of line ends that are written out', () => {
    const backslashes = '\\'.repeat(10_000_000);
    expect(normalizeInboundTextNewlines(backslashes) === backslashes).toBe(true);
    expect(normalizeInboundTextNewlines('a\\n'.repeat(1_000_000)) === 'a\n'.repeat(1_000_000)).toBe(true);
  });
});

describe('finalizeInboundContext', () => {
  it('gives all variants of a text that came as one', () => {
    for (const field of ['Body', 'RawBody', 'CommandBody', 'BodyForAgent'] as const) {
      expect(finalizeInboundContext({ [field]: 'one\r\ntwo\\nthree' })).toEqual({
        Body: 'one\ntwo\nthree',
        RawBody: 'one\ntwo\nthree',
        CommandBody: 'one\ntwo\nthree',
        BodyForAgent: 'one\ntwo\nthree',
        BodyForCommands: 'one\ntwo\nthree',
      });
    }
  });

  it('keeps what the adapter gave', () => {
    const ctx = {
      Body: '[WhatsApp 1@g.us 2026-01-13T07:45Z] Alice: /new',
      RawBody: '@bot /new',
      CommandBody: '@bot /new',
      BodyForAgent: 'begin again',
      BodyForCommands: '/new',
    };
    expect(finalizeInboundContext(ctx)).toEqual(ctx);
  });

  it("gives the agent the clean words, not an adapter's structure", () => {
    const ctx = finalizeInboundContext({ Body: '[Dec 4 17:35] Alice: hi', RawBody: 'hi' });
    expect(ctx).toMatchObject({ Body: '[Dec 4 17:35] Alice: hi', BodyForAgent: 'hi', BodyForCommands: 'hi' });
  });

  it('finds a command behind structure and an address', () => {
    const patterns = compileMentionPatterns(['\\bclawd\\b']).regexes;
    const ctx = (Body: string) =>
      finalizeInboundContext({ Body, ChatType: 'group', BotUsername: 'my_bot' }, { patterns })
        .BodyForCommands;
    expect(ctx('[Dec 4 17:35] Alice: /new')).toBe('/new');
    expect(ctx('@my_bot /status')).toBe('/status');
    expect(ctx('clawd, /status now')).toBe('/status now');
    expect(ctx('@4915112345678 /new')).toBe('/new');
  });

  it('leaves names in direct messages', () => {
    expect(finalizeInboundContext({ Body: 'call @4915112345678', ChatType: 'dm' }).BodyForCommands).toBe(
      'call @4915112345678',
    );
  });

  it.each([
    [{ ChatType: 'DM' }, 'direct'],
    [{ ChatType: 'supergroup' }, 'group'],
    [{ ChatType: 'channel' }, 'channel'],
    [{ From: 'telegram:group:-100' }, 'group'],
    [{ From: 'slack:channel:c1' }, 'channel'],
    [{ From: '120363@g.us' }, 'group'],
    [{ From: 'telegram:42' }, undefined],
  ])('%j is a %s chat', (ctx, expected) => {
    expect(finalizeInboundContext(ctx).ChatType).toBe(expected);
  });

  it('uses the text of a voice message, and an empty one for nothing', () => {
    expect(finalizeInboundContext({ Transcript: 'spoken' }).BodyForAgent).toBe('spoken');
    expect(finalizeInboundContext({ RawBody: '', Transcript: 'spoken' }).BodyForAgent).toBe('spoken');
    expect(finalizeInboundContext({ RawBody: 'written', Transcript: 'spoken' }).BodyForAgent).toBe('written');
    expect(finalizeInboundContext({}).BodyForAgent).toBe('');
  });

  it('shows control characters and does not touch the context it was given', () => {
    const ctx = Object.freeze({ Body: 'a\0b', SenderName: 'Eve\n' });
    expect(finalizeInboundContext(ctx)).toMatchObject({ Body: 'a␀b', SenderName: 'Eve\n' });
  });

  it('changes nothing the second time', HUNT, () => {
    fc.assert(
      fc.property(hostileText, (Body) => {
        const once = finalizeInboundContext({ Body, ChatType: 'group', BotUsername: 'bot' });
        expect(finalizeInboundContext(once)).toEqual(once);
      }),
      cases({ gate: 300, torture: 100_000 }),
    );
  });
});
