import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cases, HUNT } from '../../../../../test/setup/hunt.ts';
import { looksLikeSticker } from '../../../src/channels/telegram/sending/sticker.ts';
import type { ReplyPayload } from '../../../src/outbox/reply-payload.ts';
import { TelegramBench } from './telegram-bench.ts';

async function start() {
  const bench = await TelegramBench.make();
  const channel = await bench.start();
  const send = (payload: ReplyPayload, rest = {}) => channel.send(bench.request(payload, rest));
  return { api: bench.api, media: bench.media, send };
}

/** The header of a picture. */
function webp(width: number, height: number, rest: number | string = 0, flags = 0): Buffer {
  const head = Buffer.alloc(30);
  head.write('RIFF\0\0\0\0WEBPVP8X', 'latin1');
  head[20] = flags;
  head.writeUIntLE(width - 1, 24, 3);
  head.writeUIntLE(height - 1, 27, 3);
  return Buffer.concat([head, typeof rest === 'string' ? Buffer.from(rest) : Buffer.alloc(rest)]);
}

const SOUND = element('ae', element('e1', Buffer.alloc(2)));

/** A film up to its first pictures, as recorders write it: how long it is they do not know yet. */
function webm(width: number, height: number, ...tracks: Buffer[]): Buffer {
  const number = (id: string, value: number) => element(id, Buffer.from([value >> 8, value & 0xff]));
  const video = element('ae', element('e0', Buffer.concat([number('b0', width), number('ba', height)])));
  return Buffer.concat([
    element('1a45dfa3', Buffer.from('B\x82\x84webm', 'latin1')),
    Buffer.from('18538067' + '01ffffffffffffff', 'hex'),
    element('1654ae6b', Buffer.concat([video, ...tracks])),
    Buffer.from('1f43b675' + '01ffffffffffffff', 'hex'),
    Buffer.from('b0', 'hex'),
  ]);
}

function element(id: string, bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from(id, 'hex'), Buffer.from([0x80 + bytes.length]), bytes]);
}

test.each([
  ['a picture of 512 x 512', 'image/webp', webp(512, 512), 'sendSticker'],
  ['a picture of 300 x 512', 'image/webp', webp(300, 512), 'sendSticker'],
  ['a picture of 640 x 512', 'image/webp', webp(640, 512), 'sendPhoto'],
  ['a smaller picture', 'image/webp', webp(511, 100), 'sendPhoto'],
  ['a picture above 512 KB', 'image/webp', webp(512, 512, 512 * 1024), 'sendPhoto'],
  ['a picture that moves', 'image/webp', webp(512, 512, 0, 0x02), 'sendPhoto'],
  ['a picture that Telegram refuses as one', 'image/webp', webp(512, 512, 'broken'), 'sendDocument'],
  ['a film of 512 x 300', 'video/webm', webm(512, 300), 'sendSticker'],
  ['a film with sound', 'video/webm', webm(512, 300, SOUND), 'sendVideo'],
  ['a film of 1280 x 720', 'video/webm', webm(1280, 720), 'sendVideo'],
  ['a damaged film', 'video/webm', webm(512, 300).subarray(0, 20), 'sendVideo'],
  ['an animation', 'application/x-tgsticker', Buffer.from('gzip'), 'sendSticker'],
  ['a large animation', 'application/x-tgsticker', Buffer.alloc(70_000), 'sendDocument'],
])('%s (%s)', async (_what, type, bytes, method) => {
  const { api, media, send } = await start();
  media.offer('/w/file', type, bytes);
  await send({ mediaUrl: '/w/file' });
  expect(api.chats.shown).toMatchObject([{ method, file: { bytes } }]);
});

test('a film that ends anywhere, or is anything, is read to its end', HUNT, () => {
  const whole = webm(512, 300);
  const looks = (bytes: Uint8Array) => looksLikeSticker({ type: 'video/webm', bytes: Buffer.from(bytes) });
  const ends = Array.from({ length: whole.length }, (_, end) => end);
  expect(ends.filter((end) => looks(whole.subarray(0, end))).every((end) => end > 30)).toBe(true);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      looks(bytes);
      looks(Buffer.concat([whole.subarray(0, 12), bytes]));
    }),
    cases({ gate: 200, torture: 10_000 }),
  );
});

test('a picture with words is a photo, and so are those beside it', async () => {
  const { api, media, send } = await start();
  for (const name of ['1', '2']) media.offer(`/w/${name}.webp`, 'image/webp', webp(512, 512));
  await send({ text: 'Two drafts', mediaUrls: ['/w/1.webp', '/w/2.webp'] });
  await send({ mediaUrl: '/w/1.webp' }, { mayBeRepeat: true, mark: '(Again)' });
  expect(api.chats.shown.map(({ method, text }) => [method, text])).toEqual([
    ['sendPhoto', 'Two drafts'],
    ['sendPhoto', ''],
    ['sendPhoto', '(Again)'],
  ]);
});

test('words are in front of an animation, which has none', async () => {
  const { api, media, send } = await start();
  media.offer('/w/hi.tgs', 'application/x-tgsticker');
  const { ids } = await send({ text: 'word '.repeat(300), mediaUrl: '/w/hi.tgs' });
  expect(ids).toHaveLength(2);
  expect(api.chats.shown.map(({ method }) => method)).toEqual(['sendMessage', 'sendSticker']);
});

test('one that a group does not take is sent as a photo', async () => {
  const { api, media, send } = await start();
  api.chats.withoutStickers.add(-100123);
  media.offer('/w/1.webp', 'image/webp', webp(512, 512));
  await send(
    { mediaUrl: '/w/1.webp' },
    { target: { channel: 'telegram', accountId: 'default', to: 'telegram:-100123' } },
  );
  expect(api.chats.shown.map(({ method }) => method)).toEqual(['sendPhoto']);
  expect(api.callsOf('sendSticker')).toHaveLength(1);
});
