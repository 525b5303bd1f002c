import { describe, expect, test } from 'vitest';
import { GROUP, message, TelegramBench } from './telegram-bench.ts';

async function start() {
  const bench = await TelegramBench.make();
  await bench.start();
  for (const id of ['small', 'middle', 'large', 'file']) bench.api.addFile(id, `bytes of ${id}`);
  return bench;
}
const size = (file_id: string, side: number, file_size: number) => ({
  file_id,
  width: side,
  height: side,
  file_size,
});
const names = (bench: TelegramBench) =>
  bench.media.kept.map(({ name, type, bytes }) => [name, type, bytes.toString()]);

test('the largest photo within the limit', async () => {
  const bench = await start();
  const photo = [size('small', 90, 1000), size('large', 1280, 2_000_000), size('middle', 800, 90_000)];
  const ctx = await bench.receive({ photo, caption: 'Look' });
  expect(names(bench)).toEqual([['middle', 'image/jpeg', 'bytes of middle']]);
  expect(ctx).toMatchObject({
    RawBody: 'Look',
    MediaPath: '/media/middle',
    MediaPaths: ['/media/middle'],
    MediaType: 'image/jpeg',
    MediaTypes: ['image/jpeg'],
  });
});

test.each([
  ['document', { file_name: 'a.pdf', mime_type: 'application/pdf' }, 'a.pdf', '<media:document>'],
  ['voice', { mime_type: 'audio/ogg' }, 'file', '<media:audio>'],
  ['audio', { file_name: 'a.mp3', mime_type: 'audio/mpeg' }, 'a.mp3', '<media:audio>'],
  ['video', { mime_type: 'video/mp4' }, 'file', '<media:video>'],
  ['video_note', {}, 'file', '<media:video>'],
  ['sticker', { emoji: '😀' }, 'file', '<media:sticker> 😀'],
])('%s', async (field, fields, name, body) => {
  const bench = await start();
  const ctx = await bench.receive({ [field]: { file_id: 'file', ...fields } });
  expect(names(bench)[0]![0]).toBe(name);
  expect(ctx).toMatchObject({ RawBody: body, MediaPath: `/media/${name}` });
});

test('complaint 9: a download that fails is tried again', async () => {
  const bench = await start();
  bench.api.addFault('getFile', { fault: 'cut' });
  bench.api.addFault('download', { fault: 'half' });
  bench.api.addFault('download', { fault: 'proxy error' });
  bench.api.updates.push({ message: message(1, { document: { file_id: 'file' } }) });
  await bench.pass(() => bench.host.taken.length === 1);
  expect(names(bench)).toEqual([['file', undefined, 'bytes of file']]);
  expect(bench.host.contexts[0]).not.toHaveProperty('MediaMissing');
});

test('complaint 9: a file that does not arrive is reported to the model and to the owner', async () => {
  const bench = await start();
  bench.api.addFault('download', { fault: 'half' }, 10);
  const document = { file_id: 'file', file_name: 'a.pdf', mime_type: 'application/pdf' };
  bench.api.updates.push({ message: message(1, { document, caption: 'Read it' }) });
  await bench.pass(() => bench.host.taken.length === 1);
  expect(bench.host.contexts[0]).toMatchObject({
    RawBody: 'Read it',
    MediaMissing: [{ name: 'a.pdf', type: 'application/pdf', reason: 'the download failed 4 times' }],
  });
  expect(bench.host.reports).toEqual(['A file of Telegram did not arrive: the download failed 4 times']);
});

test('files that are too large are not asked for, and those that lie about it are given up', async () => {
  const bench = await start();
  await bench.receive({ document: { file_id: 'file', file_size: 5_000_000 } });
  expect(bench.host.contexts[0]).toMatchObject({ MediaMissing: [{ reason: 'larger than 1 MB' }] });
  expect(bench.api.callsOf('getFile')).toEqual([]);
  bench.api.addFile('liar', Buffer.alloc(3_000_000), { size: 10 });
  await bench.receive({ document: { file_id: 'liar', file_size: 10 } }, 2);
  expect(bench.host.contexts[1]).toMatchObject({ MediaMissing: [{ reason: 'larger than the limit' }] });
  bench.api.addFile('huge', Buffer.alloc(20_000_001));
  await bench.receive({ document: { file_id: 'huge' } }, 3);
  expect(bench.host.contexts[2]).toMatchObject({
    MediaMissing: [{ reason: expect.stringContaining('file is too big') }],
  });
  expect(bench.media.kept).toEqual([]);
});

test.each(['/etc/passwd', '../../secret', 'a/../../b'])(
  'a place on a disk is not a download: %s',
  async (path) => {
    const bench = await start();
    bench.api.addFile('odd', 'x', { path });
    await bench.receive({ document: { file_id: 'odd' } });
    expect(bench.api.callsOf('download')).toEqual([]);
    expect(bench.host.contexts[0]).toHaveProperty('MediaMissing');
  },
);

test('no file of a stranger is downloaded, and the message is passed on', async () => {
  const bench = await start();
  bench.host.strangers.add('777');
  const ctx = await bench.receive({ document: { file_id: 'file' }, caption: 'Virus' });
  expect(ctx.RawBody).toBe('Virus');
  expect(bench.api.callsOf('getFile')).toEqual([]);
});

describe('an album', () => {
  const part = (id: number, file: string, fields = {}) => ({
    message: message(id, { media_group_id: 'g', photo: [size(file, 9, 9)], chat: GROUP, ...fields }),
  });

  test('is one message with all its files, also when its parts come apart and another writes between', async () => {
    const bench = await start();
    bench.api.updates.push(part(1, 'small'));
    await bench.until(() => bench.clock.waiting === 2);
    bench.api.updates.push({ message: message(2, { text: 'between', chat: GROUP }) });
    bench.api.updates.push(part(3, 'middle', { caption: '@Test_Bot look' }));
    await bench.pass(() => bench.api.updates.unconfirmed.length === 0);
    expect(bench.host.taken).toEqual([
      ['-100123', '1', '@Test_Bot look'],
      ['-100123', '2', 'between'],
    ]);
    expect(bench.host.contexts[0]).toMatchObject({
      WasMentioned: true,
      MediaPaths: ['/media/small', '/media/middle'],
    });
    // A part that comes late is for the bot, too; a change would take the other files away.
    bench.api.updates.push(part(4, 'file'));
    await bench.pass(() => bench.host.taken.length === 3);
    expect(bench.host.contexts[2]).toMatchObject({ WasMentioned: true, MediaPaths: ['/media/file'] });
    await bench.pass(() => bench.api.updates.unconfirmed.length === 0);
    await bench.deliver({ edited_message: part(3, 'middle', { caption: 'Other' }).message });
    expect(bench.host.amendedContexts).toEqual([]);
  });

  test('that could not be kept, or was not whole at the end, comes again as one', async () => {
    const bench = await start();
    bench.api.updates.push(part(1, 'small'));
    await bench.until(() => bench.clock.waiting === 2);
    await bench.channel.stop();
    expect(bench.host.calls).toBe(0);
    bench.api.updates.push(part(2, 'middle'));
    bench.host.failures = 1;
    await bench.start();
    await bench.pass(() => bench.api.updates.unconfirmed.length === 0);
    expect(bench.host.taken).toEqual([['-100123', '1', '<media:image>']]);
    expect(bench.host.contexts.at(-1)!.MediaPaths).toHaveLength(2);
  });
});

test('a stop ends a download, and the message comes again with its file', async () => {
  const bench = await start();
  bench.api.addFault('download', { fault: 'stall' });
  bench.api.updates.push({ message: message(1, { document: { file_id: 'file' } }) });
  await bench.until(() => bench.api.callsOf('download').length === 1);
  await bench.channel.stop();
  expect(bench.host.calls).toBe(0);
  await bench.start();
  await bench.until(() => bench.host.taken.length === 1);
  expect(bench.host.contexts[0]).toHaveProperty('MediaPath');
});
