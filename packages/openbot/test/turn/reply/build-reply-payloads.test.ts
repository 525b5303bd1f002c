import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases, HUNT } from '../../../../../test/setup/hunt.ts';
import { folderOfMedia } from '../../../src/media/places.ts';
import { buildReplyPayloads, type ReplyParams } from '../../../src/turn/reply/build-reply-payloads.ts';
import { mediaWithin } from '../../../src/turn/reply/resolve-media.ts';

const build = (text: string | readonly string[], rest: Partial<ReplyParams> = {}) =>
  buildReplyPayloads({ payloads: [text].flat().map((one) => ({ text: one })), ...rest });
const textOf = (text: string, rest?: Partial<ReplyParams>) => build(text, rest)[0]?.text;

describe('a heartbeat token', () => {
  it.each([
    ['HEARTBEAT_OK', undefined],
    [' **HEARTBEAT_OK**.\n', undefined],
    ['<b>HEARTBEAT_OK</b>', undefined],
    ['HEARTBEAT_OK\n\nAll is well.\n\n- a', 'All is well.\n\n- a'],
    ['All is well. HEARTBEAT_OK', 'All is well.'],
    ['All is well.\nHEARTBEAT_OK!', 'All is well.'],
    ['HEARTBEAT_OK HEARTBEAT_OK', undefined],
    ['The token HEARTBEAT_OK means that all is well.', 'The token HEARTBEAT_OK means that all is well.'],
    ['MY_HEARTBEAT_OKAY', 'MY_HEARTBEAT_OKAY'],
  ])('%j leaves %j', (text, expected) => {
    expect(textOf(text)).toBe(expected);
  });

  it('stays in a heartbeat run, whose caller decides', () => {
    expect(textOf('HEARTBEAT_OK', { isHeartbeat: true })).toBe('HEARTBEAT_OK');
  });
});

describe('a silent reply', () => {
  it.each(['NO_REPLY', ' NO_REPLY\n', '**NO_REPLY**', '"NO_REPLY."', '`NO_REPLY`', 'NO_REPLY!'])(
    '%j sends nothing',
    (text) => {
      expect(
        build(text, { responsePrefix: '[bot]', extras: { responseUsage: 'full', usage: { input: 1 } } }),
      ).toEqual([]);
    },
  );

  it.each([
    'I would say NO_REPLY here.',
    'NO_REPLY is a token',
    'say NO_REPLY',
    'NO_REPLYING',
    'NO_REPLY NO_REPLY?',
    'no_reply',
  ])('%j is words', (text) => {
    expect(textOf(text)).toBe(text);
  });

  it('keeps words in front of a last line with the token', () => {
    expect(textOf('Stored it.\n\nNO_REPLY')).toBe('Stored it.');
    expect(textOf(`${'x'.repeat(200)}\nNO_REPLY\n`)).toBe('x'.repeat(200));
  });

  it('keeps media', () => {
    expect(build('NO_REPLY\nMEDIA: /tmp/a.png')).toEqual([
      { mediaUrl: '/tmp/a.png', mediaUrls: ['/tmp/a.png'] },
    ]);
  });
});

describe('directives', () => {
  it.each([
    [
      '[[reply_to_current]] hello',
      { text: 'hello', replyToId: 'm1', replyToTag: true, replyToCurrent: true },
    ],
    [
      'hello [[reply_to_current]]',
      { text: 'hello', replyToId: 'm1', replyToTag: true, replyToCurrent: true },
    ],
    ['a [[ reply_to: 77 ]] b', { text: 'a b', replyToId: '77', replyToTag: true }],
    ['[[reply_to:<77>]] b', { text: 'b', replyToId: '<77>', replyToTag: true }],
    [
      '[[reply_to_current]][[audio_as_voice]]x',
      { text: 'x', replyToId: 'm1', replyToTag: true, replyToCurrent: true, audioAsVoice: true },
    ],
    ['[[reply_to:1]] [[reply_to:2]] b', { text: 'b', replyToId: '2', replyToTag: true }],
    [
      '[[reply_to_current]]\n  indented',
      { text: '  indented', replyToId: 'm1', replyToTag: true, replyToCurrent: true },
    ],
    ['[[REPLY_TO_CURRENT]] x', { text: 'x', replyToId: 'm1', replyToTag: true, replyToCurrent: true }],
    ['[[audio_as_voice]]\nMEDIA: v.ogg', { mediaUrl: 'v.ogg', mediaUrls: ['v.ogg'], audioAsVoice: true }],
  ])('%j', (text, expected) => {
    expect(build(text, { currentMessageId: 'm1' })).toEqual([expected]);
  });

  it.each([
    'use `[[reply_to_current]]` for that',
    '```\n[[reply_to_current]]\nMEDIA: /a.png\n```',
    '~~~~ md\n```\nMEDIA: /a.png\n~~~\nMEDIA: /b.png\n~~~~',
    '```\nMEDIA: /a.png',
    '[[wiki link]]',
    '[[reply_to:]] x',
    'x[[reply_to:1]]',
    'two  spaces\n\n\n    and code',
  ])('%j is left alone', (text) => {
    expect(build(text)).toEqual([{ text }]);
  });

  it('a directive alone is no message', () => {
    expect(build(['[[reply_to_current]]', '[[audio_as_voice]]', ' ', '\u200b', ''])).toEqual([]);
  });
});

describe('media lines', () => {
  it.each([
    ['MEDIA: /tmp/a.png', ['/tmp/a.png']],
    ['MEDIA:/tmp/a.png', ['/tmp/a.png']],
    ['  MEDIA: https://example.com/a?b=c', ['https://example.com/a?b=c']],
    ['MEDIA: "/tmp/my file.png"', ['/tmp/my file.png']],
    ["MEDIA: '/tmp/my file.png'", ['/tmp/my file.png']],
    ['MEDIA: `/tmp/a.png`', ['/tmp/a.png']],
    ['`MEDIA: /tmp/a.png`', ['/tmp/a.png']],
    ['MEDIA: /tmp/my file.png', ['/tmp/my file.png']],
    ['MEDIA: my holiday photo.jpg', ['my holiday photo.jpg']],
    ['MEDIA: /tmp/a.png /tmp/b.png', ['/tmp/a.png', '/tmp/b.png']],
    ['MEDIA: /tmp/a.png, "b c.png"', ['/tmp/a.png', 'b c.png']],
    ['MEDIA: file:///tmp/a.png', ['/tmp/a.png']],
    ['MEDIA: ~/a.png', ['~/a.png']],
    ['MEDIA: ./out/plot', ['./out/plot']],
    ['MEDIA: C:\\a b\\c.png', ['C:\\a b\\c.png']],
    ['- MEDIA: a.png', ['a.png']],
  ])('%j has %j', (line, expected) => {
    expect(build(`Here:\n${line}\nDone`)).toEqual([
      { text: 'Here:\nDone', mediaUrl: expected[0], mediaUrls: expected },
    ]);
  });

  it.each([
    'MEDIA: the news',
    'MEDIA:',
    'about MEDIA: x.png',
    'MEDIA: javascript:alert(1).png',
    'Media: x.png',
    'MEDIA: data:image/png',
  ])('%j is text', (line) => {
    expect(build(line)).toEqual([{ text: line }]);
  });

  it('collects several, behind those that the payload has', () => {
    expect(
      buildReplyPayloads({ payloads: [{ text: 'MEDIA: b.png\nMEDIA: c.png', mediaUrl: 'a.png' }] }),
    ).toEqual([{ mediaUrl: 'a.png', mediaUrls: ['a.png', 'b.png', 'c.png'] }]);
  });

  it('leaves what is not allowed as text', () => {
    expect(build('MEDIA: /etc/passwd.txt', { resolveMedia: mediaWithin('/work') })).toEqual([
      { text: 'MEDIA: /etc/passwd.txt' },
    ]);
  });
});

describe('mediaWithin', () => {
  const find = mediaWithin('/state/workspace', undefined, (path) => folderOfMedia('/state', path));
  const kept = `/state/media/inbound/${'0a'.repeat(16)}`;

  it.each([
    ['a.png', '/state/workspace/a.png'],
    ['./out/../a b.png', '/state/workspace/a b.png'],
    ['/state/workspace/out/a.png', '/state/workspace/out/a.png'],
    [`${kept}/a.png`, `${kept}/a.png`],
    ['https://example.com/a.png?x=1', 'https://example.com/a.png?x=1'],
  ])('%j is %j', (url, expected) => {
    expect(find(url)).toBe(expected);
  });

  it.each([
    '/etc/passwd',
    '../workspace-other/a.png',
    'out/../../a.png',
    '/state/workspace/../secrets.txt',
    '/state/workspace-other/a.png',
    '/state/media/inbound/a.png',
    `${kept}/../../../openbot.json`,
    '~/.ssh/id_ed25519',
    '.',
    'http://example.com/a.png',
    'https://user:password@example.com/a.png',
    'https://',
    'ftp://example.com/a.png',
    'a\0.png',
  ])('%j is refused', (url) => {
    expect(find(url)).toBeUndefined();
  });
});

describe('threading', () => {
  const ids = (mode: ReplyParams['replyToMode'], texts = ['one', 'two']) =>
    build(texts, { replyToMode: mode, currentMessageId: 'm1' }).map((payload) => payload.replyToId);

  it('follows the mode', () => {
    expect(ids('off')).toEqual([undefined, undefined]);
    expect(ids(undefined)).toEqual([undefined, undefined]);
    expect(ids('first')).toEqual(['m1', undefined]);
    expect(ids('all')).toEqual(['m1', 'm1']);
  });

  it('does what the model asked for, also when it is off', () => {
    expect(ids('off', ['one', '[[reply_to:5]] two', '[[reply_to_current]] three'])).toEqual([
      undefined,
      '5',
      'm1',
    ]);
    expect(ids('all', ['[[reply_to:5]] one', 'two'])).toEqual(['5', 'm1']);
    expect(ids('first', ['[[reply_to:5]] one', 'two'])).toEqual(['5', undefined]);
  });

  it('counts what is sent as the first', () => {
    const rest = { replyToMode: 'first', currentMessageId: 'm1' } as const;
    expect(
      build(['sent by the tool', 'two'], { ...rest, sentByTool: { texts: ['sent by the tool'] } }),
    ).toEqual([{ text: 'two', replyToId: 'm1' }]);
    expect(build(['one', 'two'], { ...rest, streamedBlocks: ['one'] })).toEqual([{ text: 'two' }]);
  });

  it('keeps a choice against it, and has no id to invent', () => {
    expect(
      buildReplyPayloads({
        payloads: [{ text: 'x', replyToCurrent: false }],
        replyToMode: 'all',
        currentMessageId: 'm1',
      }),
    ).toEqual([{ text: 'x', replyToCurrent: false }]);
    expect(build('[[reply_to_current]] x')).toEqual([{ text: 'x', replyToTag: true, replyToCurrent: true }]);
  });
});

describe('what was sent already', () => {
  it('by a tool, is compared without case, emoji and white space', () => {
    const sentByTool = { texts: ['Hello  World 🎉\nand more words'] };
    expect(build('hello world\n\nAND more words ✅', { sentByTool })).toEqual([]);
    expect(build('hello world', { sentByTool })).toEqual([]);
    expect(build('hello', { sentByTool })).toHaveLength(1);
    expect(build('hello world and more words, and news', { sentByTool })).toHaveLength(1);
    expect(build('Done', { sentByTool: { texts: ['done'] } })).toEqual([]);
    expect(build('🎉', { sentByTool: { texts: ['🎉'] } })).toHaveLength(1);
  });

  it('of media, is dropped alone', () => {
    const sentByTool = { mediaUrls: ['file:///tmp/a%20b.png', '/tmp/c.png'] };
    expect(build('see\nMEDIA: "/tmp/a b.png"\nMEDIA: /tmp/d.png', { sentByTool })).toEqual([
      { text: 'see', mediaUrl: '/tmp/d.png', mediaUrls: ['/tmp/d.png'] },
    ]);
    expect(build('MEDIA: /tmp/c.png', { sentByTool })).toEqual([]);
  });

  it('as blocks of a stream, is not sent again', () => {
    expect(build('one\n\ntwo', { streamedBlocks: ['one', 'two'] })).toEqual([]);
    expect(build('one\n\ntwo three', { streamedBlocks: ['one'] })).toEqual([{ text: 'two three' }]);
    expect(build(['Yes', 'Yes, and more'], { streamedBlocks: ['Yes'] })).toEqual([{ text: 'Yes, and more' }]);
    expect(build(['a', 'a'], { streamedBlocks: ['a'] })).toEqual([{ text: 'a' }]);
    expect(build('another text', { streamedBlocks: ['one'] })).toEqual([{ text: 'another text' }]);
    expect(build('one  two', { streamedBlocks: ['one\ntwo'] })).toEqual([]);
  });

  it('an error is always sent', () => {
    const payloads = [{ text: 'It failed. NO_REPLY', isError: true }];
    expect(
      buildReplyPayloads({
        payloads,
        sentByTool: { texts: ['It failed. NO_REPLY'] },
        streamedBlocks: ['It failed.'],
      }),
    ).toEqual(payloads);
  });
});

describe('buildReplyPayloads', () => {
  it('puts the prefix in front of every text', () => {
    expect(
      build(['one', '[m] two', 'MEDIA: a.png'], {
        responsePrefix: '[{model}]',
        prefixValues: { model: 'm' },
      }),
    ).toEqual([{ text: '[m] one' }, { text: '[m] two' }, { mediaUrl: 'a.png', mediaUrls: ['a.png'] }]);
    expect(
      textOf('x', {
        responsePrefix: '{modelFull} {unknown} {think}: ',
        prefixValues: { model: 'm', provider: 'p' },
      }),
    ).toBe('p/m {unknown} {think}: x');
  });

  it('keeps channelData and fields that it does not know', () => {
    const payloads = [{ channelData: { telegram: { buttons: [] } } }];
    expect(buildReplyPayloads({ payloads })).toEqual(payloads);
  });

  const pieces = fc.constantFrom(
    ...[
      '[[reply_to_current]]',
      '[[reply_to:5]]',
      '[[audio_as_voice]]',
      'MEDIA: a.png',
      'MEDIA:',
      'NO_REPLY',
      'HEARTBEAT_OK',
    ],
    ...['\n', '\n\n', ' ', '```', '~~~', '`', '"', '[[', ']]', '*', 'word', '.', '\u200b'],
  );

  it('sends nothing that renders nothing', HUNT, () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join('')),
          { maxLength: 4 },
        ),
        (texts) => {
          for (const payload of build(texts)) {
            expect(payload.text?.trim() !== '' || (payload.mediaUrls?.length ?? 0) > 0).toBe(true);
            expect(payload.text === undefined || !/^\s*NO_REPLY\s*$/.test(payload.text)).toBe(true);
          }
        },
      ),
      cases({ gate: 500, torture: 100_000 }),
    );
  });

  it.each(['[', ' ', '`', '[[', '\n', 'MEDIA: ', '```\n', 'HEARTBEAT_OK ', 'NO_REPLY ', '*'])(
    'handles 1 MB of %j',
    (piece) => {
      const text = piece.repeat(1_000_000 / piece.length);
      expect(
        build(text, { sentByTool: { texts: [text] }, streamedBlocks: [text.slice(0, 500_000)] }).length,
      ).toBeLessThan(2);
    },
  );
});
