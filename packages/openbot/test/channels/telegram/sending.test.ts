import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OpenBotError } from '@openbot/sessions';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expectLinear } from '../../../../../test/setup/expect-linear.ts';
import { cases, HUNT } from '../../../../../test/setup/hunt.ts';
import type { SendFailure } from '../../../src/channels/contract.ts';
import { makeParts } from '../../../src/channels/telegram/sending/payload-parts.ts';
import type { ReplyPayload } from '../../../src/outbox/reply-payload.ts';
import { parseHtml } from './parse-html.ts';
import { TelegramBench } from './telegram-bench.ts';

const FIXTURES = join(import.meta.dirname, '../../../../../fixtures/openclaw-gateway');
const target = (to: string, threadId?: number) => ({
  channel: 'telegram',
  accountId: 'default',
  to,
  threadId,
});

async function start(settings?: Record<string, unknown>) {
  const bench = await TelegramBench.make();
  const channel = await bench.start(settings);
  const send = (payload: ReplyPayload, rest = {}) => channel.send(bench.request(payload, rest));
  const failure = async (payload: ReplyPayload, rest = {}): Promise<SendFailure> =>
    send(payload, rest).then(
      () => expect.fail('It was sent.'),
      (error) => error,
    );
  const texts = () => bench.api.chats.shown.map(({ text }) => text);
  return { bench, channel, api: bench.api, media: bench.media, send, failure, texts };
}

describe('texts', () => {
  test('the calls of OpenClaw: HTML, and the topic', async () => {
    const { api, send, channel } = await start();
    const calls = JSON.parse(readFileSync(join(FIXTURES, 'telegram-outbound.json'), 'utf8')) as {
      method: string;
      params: Record<string, unknown>;
    }[];
    const ofThem = calls.filter(({ params }) => params.message_thread_id === 42);
    api.chats.topics.set(-100123, [42]);
    await channel.showActivity(target('telegram:-100123:topic:42', 42));
    await channel.react(target('telegram:-100123:topic:42', 42), '23', '👀');
    await send(
      { text: 'mock reply #10 (msgs=3, rounds=0)' },
      { target: target('telegram:-100123:topic:42', 42) },
    );
    for (const { method, params } of ofThem) {
      const { chat_id, ...rest } = params;
      expect(api.callsOf(method)[0]!.params).toEqual({ ...rest, chat_id: Number(chat_id) });
    }
    const reaction = calls.findLast(({ method }) => method === 'setMessageReaction')!;
    expect(api.callsOf('setMessageReaction')[0]!.params).toEqual(reaction.params);
  });

  test('Markdown is shown as markup', async () => {
    const { api, send } = await start();
    await send({ text: '**bold** and `code`\n```js\nlet a;\n```\n[link](https://x.y)' });
    expect(api.chats.shown[0]).toMatchObject({
      text: 'bold and code\nlet a;\nlink',
      entities: [
        { type: 'bold' },
        { type: 'code' },
        { type: 'code', language: 'js' },
        { type: 'pre' },
        { type: 'text_link', url: 'https://x.y' },
      ],
    });
  });

  test.each([
    "Bad Request: can't parse entities: Unsupported start tag",
    'Bad Request: ENTITY_BOUNDS_INVALID',
    'Bad Request: ENTITIES_TOO_LONG',
    'Bad Request: entity beginning at byte offset 3 is wrong',
  ])('complaint 3: markup that Telegram refuses is sent once, as plain text: %s', async (description) => {
    const { api, send, texts } = await start();
    api.addFault('sendMessage', { fault: 'refuse', code: 400, description });
    await send({ text: '**bold**' });
    expect(texts()).toEqual(['**bold**']);
    expect(api.chats.shown[0]!.entities).toEqual([]);
  });

  test('complaint 8: long texts are split after they are rendered, and none is cut', async () => {
    const { send, texts } = await start();
    const line = `**word** & <tag> [link](https://example.org/${'x'.repeat(50)})\n`;
    const { ids } = await send({ text: line.repeat(400).trimEnd() });
    expect(ids.length).toBe(texts().length);
    expect(texts().join('\n')).toBe('word & <tag> link\n'.repeat(400).trimEnd());
    for (const text of texts()) expect(text.length).toBeLessThanOrEqual(4096);
    // Markup does not count, so most of the room is used.
    expect(texts().length).toBeLessThanOrEqual(4);
  });

  test('code blocks stay code blocks', async () => {
    const { api, send } = await start();
    await send({ text: `Look:\n\`\`\`js\n${'let a = 1;\n'.repeat(1000)}\`\`\`\nDone.` });
    for (const { entities } of api.chats.shown)
      expect(entities).toContainEqual(expect.objectContaining({ language: 'js' }));
  });

  test('whatever a reply is, its parts are within the limits', HUNT, () => {
    const piece = fc.constantFrom(
      '**',
      '`',
      '```\n',
      '&',
      '<',
      '[a](http://x.y/z)',
      'word ',
      '\n',
      '😀',
      'x'.repeat(500),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 80 }), fc.boolean(), (pieces, hasFile) => {
        const parts = makeParts({ text: pieces.join(''), ...(hasFile && { mediaUrls: ['a'] }) });
        for (const part of parts) {
          const text = part.is === 'text' ? part.text : part.caption;
          if (text === undefined) continue;
          const limit = part.is === 'text' ? 4096 : 1024;
          expect(parseHtml(text.html).text.length).toBeLessThanOrEqual(limit);
          expect(text.plain.length).toBeLessThanOrEqual(limit);
          expect(Buffer.byteLength(text.html)).toBeLessThanOrEqual(2 ** 15);
        }
      }),
      cases({ gate: 100, torture: 3000 }),
    );
  });

  test('a megabyte is split in time by its length', () => {
    const text = 'Some **words** of a line & more <of> it, `code` too.\n';
    expectLinear(10_000, (size) => makeParts({ text: text.repeat(size / text.length) }));
  });

  test('half characters and text without content do not break a send', async () => {
    const { send, texts } = await start();
    await send({ text: 'half \ud83d' });
    await send({ text: '```\n```' });
    expect(texts()).toEqual(['half \ufffd', '```\n```']);
    expect(await send({ text: ' \n ' })).toEqual({ ids: [] });
    await expect(send({ channelData: { telegram: {} } })).rejects.toMatchObject({ isPermanent: true });
  });

  test('an answer to a message, also to one that is gone', async () => {
    const { api, send } = await start();
    await send({ text: 'x', replyToId: '999999' });
    await send({ text: 'x', replyToId: 'callback:1' });
    expect(api.chats.shown.map(({ replyTo }) => replyTo)).toEqual([999999, undefined]);
  });

  test('General has no id in messages, and one in actions', async () => {
    const { bench, api, channel, send } = await start();
    api.chats.topics.set(-100123, [42]);
    const general = target('telegram:-100123:topic:1', 1);
    await send({ text: 'x' }, { target: general });
    await channel.showActivity(general);
    expect(api.chats.shown[0]!.thread).toBeUndefined();
    expect(bench.api.chats.actions).toEqual([{ chat_id: -100123, thread: 1, action: 'typing' }]);
  });

  test.each(['777', 'telegram:777', 'tg:777', ' 777 '])('%j is a chat', async (to) => {
    const { api, send } = await start();
    await send({ text: 'x' }, { target: target(to) });
    expect(api.chats.shown[0]!.chat_id).toBe(777);
  });

  test('no previews of links where they are not wanted', async () => {
    const { api, send } = await start({ linkPreview: false });
    await send({ text: 'https://x.y' });
    expect(api.callsOf('sendMessage')[0]!.params.link_preview_options).toEqual({ is_disabled: true });
  });
});

describe('buttons', () => {
  test('answers of a question are buttons; without them there is none', async () => {
    const { api, send } = await start();
    const answers = [
      { word: 'yes 3f2a', label: 'Allow' },
      { word: 'no 3f2a', label: 'Deny' },
      { word: 'x'.repeat(65), label: 'Too long' },
    ];
    await send({ text: 'May I?', question: { id: '3f2a', turnId: 't', answers } as never });
    await send({ text: 'May I?', question: { id: '3f2a', turnId: 't' } as never });
    expect(api.chats.shown.map(({ buttons }) => buttons)).toEqual([
      [
        { text: 'Allow', callback_data: 'yes 3f2a' },
        { text: 'Deny', callback_data: 'no 3f2a' },
      ],
      [],
    ]);
  });

  test('they are below the last part', async () => {
    const { api, send } = await start();
    const buttons = [[{ text: 'More', callback_data: 'more' }]];
    await send({ text: 'x '.repeat(3000), channelData: { telegram: { buttons } } });
    expect(api.chats.shown.map((shown) => shown.buttons.length)).toEqual([0, 1]);
  });
});

describe('files', () => {
  test.each([
    ['image/png', {}, 'sendPhoto'],
    ['image/gif', {}, 'sendAnimation'],
    ['image/svg+xml', {}, 'sendDocument'],
    ['application/pdf', {}, 'sendDocument'],
    ['audio/mpeg', {}, 'sendAudio'],
    ['audio/ogg', { audioAsVoice: true }, 'sendVoice'],
    ['video/mp4', {}, 'sendVideo'],
  ])('%s %j by %s', async (type, rest, method) => {
    const { api, media, send } = await start();
    media.offer('/w/a file.bin', type, 'the bytes');
    await send({ text: 'A **caption**', mediaUrl: '/w/a file.bin', ...rest });
    expect(api.chats.shown).toHaveLength(1);
    const [shown] = api.chats.shown;
    expect(shown).toMatchObject({ method, text: 'A caption', file: { name: 'a_file.bin' } });
    expect(shown!.file!.bytes.toString()).toBe('the bytes');
  });

  test('a caption has 1,024 characters, and the rest follows', async () => {
    const { api, media, send } = await start();
    media.offer('/w/1.png', 'image/png');
    media.offer('/w/2.png', 'image/png');
    const words = 'word '.repeat(600).trim();
    const { ids } = await send({ text: words, mediaUrls: ['/w/1.png', '/w/2.png'] });
    expect(ids).toHaveLength(3);
    expect(api.chats.shown.map(({ method }) => method)).toEqual(['sendPhoto', 'sendPhoto', 'sendMessage']);
    const [first, second, third] = api.chats.shown.map(({ text }) => text);
    expect([first!.length <= 1024, second, `${first} ${third}`]).toEqual([true, '', words]);
  });

  test('a photo that Telegram cannot show is sent as a file', async () => {
    const { api, media, send } = await start();
    media.offer('/w/x.png', 'image/png', 'a broken image');
    await send({ text: 'x', mediaUrl: '/w/x.png' });
    expect(api.chats.shown.map(({ method }) => method)).toEqual(['sendDocument']);
  });

  test('complaint 9: a file that can never be sent is named, and the text arrives', async () => {
    const { bench, media, send, texts } = await start();
    media.offer('/w/2.png', 'image/png');
    const faults: unknown[] = [];
    const onFile = (...file: unknown[]) => void faults.push(file);
    await send({ text: 'Two files', mediaUrls: ['/etc/passwd', '/w/2.png'] }, { onFile });
    expect(faults).toEqual([
      ['/etc/passwd', 'There is no such file'],
      ['/w/2.png', undefined],
    ]);
    expect(texts()).toEqual(['Two files\n\n[A file could not be sent: There is no such file]', '']);
    expect(bench.host.reports).toEqual(['A file was not sent: There is no such file']);
  });

  test('complaint 5: a file that cannot be read is tried three times, and does not hold up the chat', async () => {
    const { bench, media, send, texts } = await start();
    media.outgoing.set('https://x.y/z', new OpenBotError('MEDIA_UNREACHABLE', 'No answer'));
    const sending = send({ text: 'x', mediaUrl: 'https://x.y/z' });
    await bench.pass(() => texts().length > 0);
    await sending;
    expect(texts()).toEqual(['x\n\n[A file could not be sent: No answer]']);
    expect(media.reads).toBe(3);
    // One that is there at the second try is sent.
    const again = send({ text: 'y', mediaUrl: 'https://x.y/z' });
    await bench.until(() => media.reads === 4);
    media.offer('https://x.y/z', 'image/png');
    await bench.pass(() => texts().length > 1);
    await again;
    expect(bench.api.chats.shown.at(-1)).toMatchObject({ method: 'sendPhoto', text: 'y' });
  });

  test('an upload has time by its size, and one that took too long is left out', async () => {
    const { api, media, send, texts } = await start();
    const allowed: number[] = [];
    const allowTime = async (ms: number) => void allowed.push(ms);
    media.offer('/w/film.mp4', 'video/mp4', Buffer.alloc(3_000_000));
    await send({ text: 'x', mediaUrl: '/w/film.mp4' }, { allowTime });
    expect(allowed.at(-1)).toBe(90_000);
    await send({ text: 'x', mediaUrl: '/w/film.mp4' }, { allowTime, skipFiles: 'it took too long' });
    expect(texts()).toEqual(['x', 'x\n\n[A file could not be sent: it took too long]']);
    expect(api.chats.shown.map(({ method }) => method)).toEqual(['sendVideo', 'sendMessage']);
  });

  test('a send that is aborted while a file is read has sent nothing', async () => {
    const { bench, media, failure, texts } = await start();
    media.outgoing.set('https://x.y/z', new OpenBotError('MEDIA_UNREACHABLE', 'No answer'));
    const end = new AbortController();
    const failing = failure({ text: 'x', mediaUrl: 'https://x.y/z' }, { signal: end.signal });
    await bench.until(() => media.reads === 1);
    end.abort(new Error('Enough.'));
    expect(await failing).toMatchObject({ isPermanent: false, mayHaveArrived: false });
    expect(texts()).toEqual([]);
  });
});

describe('failures', () => {
  test('complaint 3: a rate limit in the middle of a long reply repeats nothing', async () => {
    const { api, send, failure, texts } = await start();
    const text = Array.from({ length: 3 }, (_, n) => `${n}`.repeat(4000)).join('\n\n');
    const sent: string[] = [];
    const rest = { onPart: async (id: string) => void sent.push(id) };
    const limited = {
      fault: 'refuse',
      code: 429,
      description: 'Too Many Requests',
      parameters: { retry_after: 3 },
    } as const;
    const failing = failure(
      { text },
      {
        onPart: async (id: string) => {
          sent.push(id);
          if (sent.length === 2) api.addFault('sendMessage', limited);
        },
      },
    );
    expect(await failing).toMatchObject({ retryAfterMs: 3000, reason: 'busy', isPermanent: false });
    const { ids } = await send({ text }, { ...rest, sentIds: [...sent] });
    expect(ids.slice(0, 2)).toEqual(sent);
    expect(texts().map((shown) => shown[0])).toEqual(['0', '1', '2']);
  });

  test('complaint 8: who blocked the bot, and chats that are gone, are not tried again', async () => {
    const { api, failure } = await start();
    api.chats.blocked.add(777);
    expect(await failure({ text: 'x' })).toMatchObject({
      isPermanent: true,
      mayHaveArrived: false,
      reason: 'forbidden',
    });
    api.chats.blocked.clear();
    api.chats.unknown.add(777);
    expect(await failure({ text: 'x' })).toMatchObject({
      isPermanent: true,
      mayHaveArrived: false,
      reason: 'gone',
    });
    expect(await failure({ text: 'x' }, { target: target('not a chat') })).toMatchObject({
      isPermanent: true,
      reason: 'gone',
    });
    expect(await failure({ text: 'x' }, { target: target('telegram:-100123', 99) })).toMatchObject({
      isPermanent: true,
      reason: 'gone',
    });
  });

  test('a group that became a supergroup is written to under its new id', async () => {
    const { bench, api, send } = await start();
    api.chats.moved.set(-55, -10055);
    await send({ text: 'one' }, { target: target('-55') });
    await send({ text: 'two' }, { target: target('-55') });
    expect(api.chats.shown.map(({ chat_id, text }) => [chat_id, text])).toEqual([
      [-10055, 'one'],
      [-10055, 'two'],
    ]);
    expect(bench.host.reports).toHaveLength(1);
    expect(bench.host.reports[0]).toContain('-10055');
  });

  test('errors of the server and of proxies may come behind the message', async () => {
    const { api, failure } = await start();
    api.addFault('send', { fault: 'refuse', code: 502, description: 'Bad Gateway' });
    api.addFault('send', { fault: 'proxy error' });
    api.addFault('send', { fault: 'cut' });
    for (let n = 0; n < 3; n++)
      expect(await failure({ text: 'x' })).toMatchObject({ isPermanent: false, mayHaveArrived: true });
  });

  test('no error has the token in it', async () => {
    const { bench, api, failure } = await start();
    const shown: unknown[] = [];
    for (const fault of ['cut', 'proxy error', 'lose answer'] as const) {
      api.addFault('send', { fault });
      shown.push(await failure({ text: 'x' }));
    }
    api.addFault('send', { fault: 'refuse', code: 400, description: `Bad Request: bot${api.token}` });
    shown.push(await failure({ text: 'x' }));
    api.goDown();
    shown.push(await failure({ text: 'x' }));
    await bench.until(() => bench.channel.health().state !== 'connected');
    shown.push(bench.channel.health(), bench.host.reports, bench.channel.summary());
    const { inspect } = await import('node:util');
    const [, secret] = api.token.split(':');
    for (const value of shown) expect(inspect(value, { depth: 10, showHidden: true })).not.toContain(secret);
  });

  test('a network that cannot be reached has nothing', async () => {
    const { bench, api } = await start();
    await bench.channel.stop();
    const channel = bench.makeChannel();
    await api.close();
    await expect(channel.send(bench.request({ text: 'x' }))).rejects.toMatchObject({
      isPermanent: false,
      mayHaveArrived: false,
    });
  });
});

describe('other calls', () => {
  test('a message is changed; the same text again is no failure', async () => {
    const { api, channel, send, bench } = await start();
    const { ids } = await send({ text: 'one' });
    const { target: to, signal } = bench.request({});
    const edit = (text: string) => channel.edit({ target: to, id: ids[0]!, text, signal });
    await edit('**two**');
    await edit('**two**');
    expect(api.chats.shown.map(({ text }) => text)).toEqual(['two']);
    const description = "Bad Request: can't parse entities";
    api.addFault('editMessageText', { fault: 'refuse', code: 400, description });
    await edit('*three*');
    expect(api.chats.shown[0]!.text).toBe('*three*');
    await expect(edit('x'.repeat(4097))).rejects.toMatchObject({ reason: 'too long', isPermanent: true });
    await expect(channel.edit({ target: to, id: '1', text: 'x', signal })).rejects.toMatchObject({
      reason: 'gone',
    });
  });

  test('reactions are set and taken away', async () => {
    const { api, channel } = await start();
    await channel.react(target('777'), '5', '👀');
    await channel.react(target('777'), '5', undefined);
    expect(api.chats.reactions.map(({ emoji }) => emoji)).toEqual(['👀', undefined]);
    await expect(channel.react(target('777'), '5', '🦆')).rejects.toMatchObject({ isPermanent: true });
  });

  test('the menu of commands, also when Telegram cannot be reached at first', async () => {
    const bench = await TelegramBench.make();
    const channel = bench.makeChannel();
    const commands = [
      { name: 'status', description: 'How it is', takesText: false },
      { name: 'Not-Allowed', description: 'x', takesText: false },
      { name: 'new', description: '', takesText: true },
    ];
    bench.api.addFault('setMyCommands', { fault: 'cut' });
    await channel.setCommands(commands);
    await channel.start(bench.host);
    // Messages do not wait for it.
    await bench.until(() => channel.health().state === 'connected', 'the connection');
    await bench.pass(() => bench.api.commands.length > 0, 'the menu');
    expect(bench.api.commands).toEqual([
      { command: 'status', description: 'How it is' },
      { command: 'new', description: 'new' },
    ]);
  });

  test('who the bot is', async () => {
    const { channel } = await start();
    expect(await channel.probe(new AbortController().signal)).toMatch(
      /^@Test_Bot \(id 123456\), in groups it is given/,
    );
    expect(channel.summary()).toBe('Telegram: connected as @Test_Bot');
  });
});
