import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { TempMedia } from '../temp-media.ts';
import type { StoredMedia } from './cloud-api.ts';
import { ADA, WhatsAppBench } from './whatsapp-bench.ts';

const JPEG = { type: 'image/jpeg', bytes: Buffer.from('a picture') };

describe('files that arrive', () => {
  const give = async (bench: WhatsAppBench, media: StoredMedia, fields: object = {}) => {
    bench.api.media.set('m1', media);
    const image = { id: 'm1', mime_type: media.type, sha256: 'x', ...fields };
    expect(await bench.write({ type: 'image', image })).toBe(200);
    return bench.host.contexts.at(-1)!;
  };

  test('are kept before the webhook is answered', async () => {
    const bench = await WhatsAppBench.start();
    const ctx = await give(bench, JPEG, { caption: 'look' });
    expect(ctx).toMatchObject({ RawBody: 'look', MediaType: 'image/jpeg', MediaTypes: ['image/jpeg'] });
    expect(readFileSync(ctx.MediaPath!, 'utf8')).toBe('a picture');
    const document = { id: 'm1', mime_type: 'application/pdf', filename: '../../etc/passwd' };
    await bench.write({ id: 'b', type: 'document', document });
    expect(bench.host.contexts[1]).toMatchObject({ RawBody: '<media:document>' });
    await bench.write({ id: 'c', type: 'audio', audio: { id: 'm1', mime_type: 'audio/ogg', voice: true } });
    expect(bench.host.texts[2]).toBe('<media:audio>');
  });

  test('of a stranger are not downloaded', async () => {
    const bench = await WhatsAppBench.start();
    bench.host.strangers.add(ADA.userId);
    const ctx = await give(bench, JPEG);
    expect(ctx).not.toHaveProperty('MediaPath');
    expect([bench.api.downloads, bench.api.readMarks]).toEqual([0, []]);
  });

  test('are tried again when a download breaks off, and then told as missing', async () => {
    const bench = await WhatsAppBench.start();
    expect(await give(bench, { ...JPEG, failures: 2 })).toHaveProperty('MediaPath');
    expect([bench.api.downloads, bench.waits]).toEqual([3, [300, 1500]]);
    const media = { ...JPEG, failures: 99 };
    bench.api.media.set('m2', media);
    expect(await bench.write({ id: 'b', type: 'image', image: { id: 'm2', mime_type: 'image/jpeg' } })).toBe(
      200,
    );
    const ctx = bench.host.contexts.at(-1)!;
    expect([ctx.MediaPath, ctx.RawBody, bench.api.downloads]).toEqual([undefined, '<media:image>', 6]);
    expect(JSON.stringify(ctx)).toMatch(/missing.*image\/jpeg/i);
    expect(bench.host.reports).toEqual([expect.stringContaining('was not taken')]);
  });

  test('that take too long do not hold up the answer, nor what others wrote', async () => {
    const bench = await WhatsAppBench.open();
    bench.filesMs = 50;
    await bench.makeChannel().start(bench.host);
    bench.api.media.set('m1', { ...JPEG, isStalled: true });
    const picture = { id: 'a', type: 'image', image: { id: 'm1', mime_type: 'image/jpeg' } };
    const text = { id: 'b', from: '4915100000000', text: 'meanwhile' };
    expect(await bench.write(picture, text, { id: 'c', text: 'what is it?' })).toBe(200);
    expect(bench.host.texts).toEqual(['meanwhile', '<media:image>', 'what is it?']);
    expect(JSON.stringify(bench.host.contexts[1])).toContain('WhatsApp did not give it in time');
  });

  test('that WhatsApp does not have any more are told as missing at once', async () => {
    const bench = await WhatsAppBench.start();
    await bench.write({ type: 'image', image: { id: 'gone', mime_type: 'image/jpeg' } });
    expect(JSON.stringify(bench.host.contexts[0])).toContain('does not exist');
    expect(bench.waits).toEqual([]);
  });

  test('may lie about their size in both ways', async () => {
    const bench = await WhatsAppBench.start({ media: new TempMedia(1_000_000) });
    const large = { type: 'image/png', bytes: Buffer.alloc(2_000_000) };
    expect(JSON.stringify(await give(bench, large))).toContain('larger than 1 MB');
    expect(bench.api.downloads).toBe(0);
    bench.api.media.set('m2', { ...large, claimedSize: 10 });
    await bench.write({ id: 'b', type: 'image', image: { id: 'm2' } });
    expect(JSON.stringify(bench.host.contexts[1])).toContain('larger than 1 MB');
    expect(bench.api.downloads).toBe(1);
    bench.api.media.set('m3', { ...JPEG, claimedSize: 999_999 });
    await bench.write({ id: 'c', type: 'image', image: { id: 'm3' } });
    expect(bench.host.contexts[2]).toHaveProperty('MediaPath');
  });

  test('are never unpacked: neither an archive nor a compressed answer', async () => {
    const bench = await WhatsAppBench.start({ media: new TempMedia(1_000_000) });
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    const ctx = await give(bench, { type: 'application/gzip', bytes: bomb });
    expect(readFileSync(ctx.MediaPath!)).toEqual(bomb);
    const headers = { 'content-encoding': 'gzip' };
    bench.api.media.set('m2', { type: 'image/png', bytes: bomb, headers });
    await bench.write({ id: 'b', type: 'image', image: { id: 'm2' } });
    expect(JSON.stringify(bench.host.contexts[1])).toContain('sent it as gzip');
  });

  test('are fetched from WhatsApp alone: nobody else is given the token', async () => {
    const bench = await WhatsAppBench.start();
    const asked: (string | undefined)[] = [];
    const other = await WhatsAppBench.open();
    const url = other.api.url.replace('127.0.0.1', 'localhost');
    for (const address of [`${url}/download/m1`, 'https://fbsbx.com.evil.example/x', 'file:///etc/passwd']) {
      bench.api.media.set('m1', { ...JPEG, url: address });
      await bench.write({ id: address, type: 'image', image: { id: 'm1' } });
      asked.push(JSON.stringify(bench.host.contexts.at(-1)));
    }
    expect(asked).toEqual(Array(3).fill(expect.stringContaining('not its own')));
    expect(other.api.downloads).toBe(0);
  });
});

describe('files that are sent', () => {
  const sent = (bench: WhatsAppBench) =>
    bench.api.shown.map(({ type, text, mediaId, content }) => {
      const media = mediaId && bench.api.media.get(mediaId);
      return [
        type,
        text,
        ...(media ? [Buffer.from(media.bytes).toString()] : []),
        ...(content.voice ? ['voice'] : []),
      ];
    });

  test('are uploaded, and the text is their caption where there may be one', async () => {
    const bench = await WhatsAppBench.start();
    const { media } = bench;
    const [png, ogg, pdf] = ['a.png', 'b.ogg', 'c.pdf'].map((name) => media.write(name, name));
    const parts: string[] = [];
    const onPart = async (id: string) => void parts.push(id);
    const { ids } = await bench.send({ payload: { text: '**Hi**', mediaUrls: [png!, pdf!] }, onPart });
    expect([ids.length, parts]).toEqual([2, [ids[0]]]);
    await bench.send({ payload: { text: 'Listen', mediaUrl: ogg, audioAsVoice: true } });
    await bench.send({ payload: { mediaUrl: ogg } });
    expect(sent(bench)).toEqual([
      ['image', '*Hi*', 'a.png'],
      ['document', '', 'c.pdf'],
      ['text', 'Listen'],
      ['audio', '', 'b.ogg', 'voice'],
      ['audio', '', 'b.ogg'],
    ]);
    expect(bench.api.shown[1]!.content).toMatchObject({ filename: 'c.pdf' });
  });

  test('are documents where WhatsApp has no other kind for them', async () => {
    const bench = await WhatsAppBench.start();
    const { media } = bench;
    const files = [
      media.write('small.webp', 'w'),
      media.write('large.webp', Buffer.alloc(100_001)),
      media.write('large.png', Buffer.alloc(5_000_001)),
      media.write('large.mp4', Buffer.alloc(16_000_001)),
    ];
    await bench.send({ payload: { mediaUrls: files } });
    expect(bench.api.shown.map(({ type }) => type)).toEqual(['sticker', 'document', 'document', 'document']);
  });

  test('go with a text of their own where it is too long for a caption', async () => {
    const bench = await WhatsAppBench.start();
    const png = bench.media.write('a.png', 'a');
    const long = 'x'.repeat(1025);
    await bench.send({ payload: { text: long, mediaUrl: png } });
    expect(sent(bench)).toEqual([
      ['text', long],
      ['image', '', 'a'],
    ]);
  });

  test('that cannot be read do not take the text with them', async () => {
    const bench = await WhatsAppBench.start();
    const png = bench.media.write('a.png', 'a');
    const faults: unknown[] = [];
    const onFile = (...file: unknown[]) => void faults.push(file);
    await bench.send({ payload: { text: 'See', mediaUrls: ['http://refused/x.png', png] }, onFile });
    expect(faults).toEqual([
      ['http://refused/x.png', 'The address is private'],
      [png, undefined],
    ]);
    expect(sent(bench)).toEqual([
      ['text', 'See\n\n(A file could not be sent: The address is private)'],
      ['image', '', 'a'],
    ]);
    expect(bench.host.reports).toHaveLength(1);
    bench.media.unreachable = 2;
    await bench.send({ payload: { mediaUrl: png } });
    expect(sent(bench).at(-1)).toEqual(['image', '', 'a']);
    expect(bench.waits).toEqual([300, 1500]);
  });

  test('are the same parts in each try, whatever can be read meanwhile', async () => {
    for (const [before, after] of [
      [0, 3],
      [3, 0],
    ]) {
      const bench = await WhatsAppBench.start();
      const files = ['a.png', 'b.png'].map((name) => bench.media.write(name, name));
      const payload = { text: 'Hi', mediaUrls: files };
      const sentIds: string[] = [];
      bench.media.unreachable = before!;
      const onPart = async (id: string) => {
        sentIds.push(id);
        bench.api.faults.push({ fault: 'error', code: 131056 });
      };
      await expect(bench.send({ payload, onPart })).rejects.toMatchObject({ reason: 'busy' });
      expect(sentIds).toHaveLength(1);
      bench.media.unreachable = after!;
      const { ids } = await bench.send({ payload, sentIds });
      expect(ids).toHaveLength(2);
      const [first, second] = sent(bench);
      const lost = '(A file could not be sent: The file cannot be reached.)';
      expect(first).toEqual(before === 0 ? ['image', 'Hi', 'a.png'] : ['text', `Hi\n\n${lost}`]);
      expect(second).toEqual(after === 0 ? ['image', '', 'b.png'] : ['text', lost]);
    }
  });

  test('are documents with a caption where only their bytes say that they have none', async () => {
    const bench = await WhatsAppBench.start();
    bench.media.types.set('/voice', ['audio/ogg', 'audio']);
    await bench.send({ payload: { text: 'Listen', mediaUrl: bench.media.write('voice', 'sound') } });
    expect(sent(bench)).toEqual([['document', 'Listen', 'sound']]);
  });

  test('go on behind those that an earlier try got through', async () => {
    const bench = await WhatsAppBench.start();
    const files = ['a.png', 'b.png', 'c.png'].map((name) => bench.media.write(name, name));
    const payload = { text: 'Hi', mediaUrls: files };
    const sentIds: string[] = [];
    const onPart = async (id: string) => void sentIds.push(id);
    const failing = {
      payload,
      sentIds: [],
      onPart: async (id: string) => {
        await onPart(id);
        if (sentIds.length === 2) bench.api.faults.push({ fault: 'error', code: 131056 });
      },
    };
    await expect(bench.send(failing)).rejects.toMatchObject({ reason: 'busy', retryAfterMs: 7000 });
    const { ids } = await bench.send({ payload, sentIds, onPart });
    expect(sent(bench).map(([, , name]) => name)).toEqual(['a.png', 'b.png', 'c.png']);
    expect(ids).toEqual(bench.api.shown.map(({ id }) => id));
  });
});
