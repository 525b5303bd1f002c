import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { OpenBotError } from '@openbot/sessions';
import { describe, expect, test } from 'vitest';
import { routeMessage } from '../../../src/bot/route-message.ts';
import type { SendFailure } from '../../../src/channels/contract.ts';
import { TempMedia } from '../temp-media.ts';
import { WebhookBench } from './webhook-bench.ts';

const ADA = { id: 'ada', name: 'Ada' };
const failureOf = (sending: Promise<unknown>) =>
  sending.then(
    () => expect.fail('It was sent.'),
    (error) => error as SendFailure,
  );

describe('the signature', () => {
  test('is about the time and the bytes: nothing else is read', async () => {
    const bench = await WebhookBench.start();
    const body = JSON.stringify({ id: '1', sender: ADA, text: 'Grüße' });
    const right = bench.sign(body);
    const escaped = body.replace('ü', '\\u00fc').replace('ß', '\\u00df');
    expect(JSON.parse(escaped)).toEqual(JSON.parse(body));
    const signature = right['x-openbot-signature-256']!;
    const time = right['x-openbot-timestamp']!;
    for (const [text, headers] of [
      [body, {}],
      [escaped, right],
      [body.slice(0, -1), right],
      [body, { ...right, 'x-openbot-timestamp': String(Number(time) + 1) }],
      [body, { 'x-openbot-signature-256': signature }],
      [body, { ...right, 'x-openbot-signature-256': signature.slice(0, -2) }],
      [body, { ...right, 'x-openbot-signature-256': '' }],
    ] as const) {
      expect(await bench.post(text, headers)).toEqual([401, { error: 'The signature is missing or wrong.' }]);
    }
    expect(bench.host.calls).toBe(0);
    // A person who mistyped the secret is told; one who forges calls fills no log and fails no channel.
    expect(bench.channel.health()).toEqual({
      state: 'connected',
      since: bench.now,
      warning:
        '7 calls were refused since 2025-06-08T20:59:43.000Z, and none was right: The signature is missing or wrong. If your program made them, it signs with another secret or its clock is wrong',
    });
    expect(bench.host.reports).toEqual([expect.stringMatching(/^1 call was refused/)]);
    expect(await bench.post(body, right)).toEqual([202, { id: '1', isNew: true }]);
    expect(bench.channel.health()).toEqual({ state: 'connected', since: bench.now });
    expect(bench.host.texts).toEqual(['Grüße']);
  });

  test('of a recording is worth nothing later, and harms nothing before', async () => {
    const bench = await WebhookBench.start();
    const body = JSON.stringify({ id: '1', sender: ADA, text: 'pay' });
    const recorded = bench.sign(body);
    await bench.post(body, recorded);
    bench.now += 200_000;
    expect(await bench.post(body, recorded)).toEqual([200, { id: '1', isNew: false }]);
    bench.now += 200_000;
    expect(await bench.post(body, recorded)).toEqual([
      401,
      { error: 'x-openbot-timestamp is more than 5 minutes off.' },
    ]);
    expect((await bench.post(body, bench.sign(body, bench.now + 400_000)))[0]).toBe(401);
    // What the sender itself repeats has a new time.
    expect((await bench.post(body))[0]).toBe(200);
    expect(bench.host.contexts).toHaveLength(1);
  });
});

describe('messages', () => {
  test('with an id that no session can have are refused for good', async () => {
    const bench = await WebhookBench.start();
    const half = '\ud83d';
    for (const wrong of [
      { id: half, sender: ADA },
      { id: '1', sender: { id: `ada${half}` } },
      { id: '1', sender: ADA, conversation: `room${half}` },
      { id: '1', sender: ADA, threadId: half },
    ]) {
      const [status, { error }] = await bench.post({ ...wrong, text: 'hi' });
      expect([status, error]).toEqual([400, expect.stringMatching(/must be text or a whole number/)]);
    }
    // What only the host finds is no reason to send it again either.
    const message = 'a key holds no such character';
    bench.host.accept = () => Promise.reject(new OpenBotError('INVALID_SESSION_KEY', message));
    expect(await bench.post({ id: '1', sender: ADA, text: 'hi' })).toEqual([400, { error: message }]);
    bench.host.accept = () => Promise.reject(new Error('The disk is full.'));
    expect((await bench.post({ id: '1', sender: ADA, text: 'hi' }))[0]).toBe(500);
  });

  test('of a conversation with a name like that of a thread are not taken for its own', async () => {
    const bench = await WebhookBench.start();
    for (const place of [
      { conversation: 'a#b' },
      { conversation: 'a', threadId: 'b' },
      { conversation: 'a%23b' },
      { conversation: 'a#b', threadId: 'c' },
      { conversation: 'a', threadId: 'b#c' },
    ]) {
      const [status] = await bench.post({ ...place, id: '1', sender: ADA, text: 'hi' });
      expect(status).toBe(202);
    }
    expect(new Set(bench.host.taken.map(([conversation]) => conversation)).size).toBe(5);
    expect(bench.host.contexts[0]).toMatchObject({ OriginatingTo: 'webhook:a#b' });
  });

  test('of people, groups and threads have the keys of sessions that they have elsewhere', async () => {
    const bench = await WebhookBench.start();
    await bench.post({ id: '1', sender: ADA, text: 'hi', replyTo: 'm-1', timestamp: '2026-01-01T00:00:00Z' });
    const room = { conversation: 'Room7', chatType: 'group', subject: 'The room', sender: ADA };
    await bench.post({ ...room, id: 2, text: 'all', mentioned: true });
    const reply = { id: 'm-2', text: 'earlier', sender: 'Bob' };
    await bench.post({ ...room, id: '3', text: 'there', threadId: 'T1', replyTo: reply });
    expect(bench.host.taken.map(([conversation, id]) => [conversation, id])).toEqual([
      ['ada', '1'],
      ['Room7', '2'],
      ['Room7#T1', '3'],
    ]);
    const [direct, group, thread] = bench.host.contexts;
    expect(direct).toEqual({
      Body: 'hi',
      RawBody: 'hi',
      CommandBody: 'hi',
      From: 'webhook:ada',
      To: 'webhook:default',
      AccountId: 'default',
      ChatType: 'direct',
      Provider: 'webhook',
      Surface: 'webhook',
      OriginatingChannel: 'webhook',
      OriginatingTo: 'webhook:ada',
      ConversationLabel: 'Ada',
      SenderId: 'ada',
      SenderName: 'Ada',
      MessageSid: '1',
      Timestamp: Date.UTC(2026, 0, 1),
      ReplyToId: 'm-1',
    });
    expect(group).toMatchObject({
      WasMentioned: true,
      GroupSubject: 'The room',
      From: 'webhook:group:Room7',
    });
    expect(thread).toMatchObject({ WasMentioned: false, ReplyToBody: 'earlier', ReplyToSender: 'Bob' });
    const account = { name: 'webhook', accountId: 'default' };
    const keys = bench.host.contexts.map((ctx) => routeMessage({}, account, ctx).sessionKey);
    expect(keys).toEqual([
      'agent:main:main',
      'agent:main:webhook:group:%52oom7',
      'agent:main:webhook:group:%52oom7:thread:%541',
    ]);
  });

  test('that are not right are refused with what is wrong', async () => {
    const bench = await WebhookBench.start();
    const right = { id: '1', sender: ADA, text: 'hi' };
    for (const [message, error] of [
      ['{', 'not JSON'],
      [[], 'JSON object'],
      [{ ...right, id: undefined }, 'id must be'],
      [{ ...right, id: 'a\u0000b' }, 'id must be'],
      [{ ...right, id: 'x'.repeat(300) }, 'id must be'],
      [{ ...right, sender: 'ada' }, 'sender.id must be'],
      [{ ...right, sender: { id: '\u202eada' } }, 'sender.id must be'],
      [{ ...right, conversation: {} }, 'conversation must be'],
      [{ ...right, chatType: 'party' }, 'chatType must be'],
      [{ ...right, chatType: 'group' }, 'needs a conversation'],
      [{ ...right, text: 7 }, 'text must be text'],
      [{ ...right, text: '' }, 'needs a text or a file'],
      [{ ...right, timestamp: 'soon' }, 'timestamp must be'],
      [{ ...right, replyTo: {} }, 'replyTo.id must be'],
      [{ ...right, media: {} }, 'media must be'],
      [{ ...right, media: [{}] }, 'A file needs'],
      [{ ...right, media: [{ url: '/etc/passwd' }] }, 'A file needs'],
      [{ ...right, media: [{ url: 'file:///etc/passwd' }] }, 'A file needs'],
      [{ ...right, media: Array(21).fill({ data: 'eA==' }) }, 'at most 20'],
    ] as const) {
      expect(await bench.post(message)).toEqual([400, { error: expect.stringContaining(error) }]);
    }
    expect((await fetch(bench.door.url)).status).toBe(405);
    expect(bench.host.calls).toBe(0);
  });

  test('may be long, wild and many', async () => {
    const bench = await WebhookBench.start();
    const texts = [
      'x'.repeat(1_000_000),
      Array.from({ length: 10_000 }, (_, n) => `@${n}`).join(' '),
      '\u001b[2J\u202e\u0000',
    ];
    for (const [id, text] of texts.entries())
      await bench.post({ id, sender: { id: 'ada', name: '\u202eA\nda' }, text });
    expect(bench.host.texts).toEqual(texts);
    expect(bench.host.contexts[0]!.SenderName).toBe('A da');
    const many = Array.from({ length: 50 }, (_, n) => bench.post({ id: `m${n}`, sender: ADA, text: 'x' }));
    expect((await Promise.all(many)).every(([status]) => status === 202)).toBe(true);
  });

  test('bring files, of people who are heard', async () => {
    const bench = await WebhookBench.start({ media: new TempMedia(1_000_000) });
    const bomb = gzipSync(Buffer.alloc(20_000_000));
    const media = [
      { data: Buffer.from('a picture').toString('base64'), type: 'image/png', name: 'a.png' },
      { data: bomb.toString('base64'), type: 'application/gzip', name: 'b.gz' },
      { data: Buffer.alloc(1_000_001).toString('base64'), name: 'large' },
      { url: 'http://refused/x.png', name: 'private.png' },
    ];
    await bench.post({ id: '1', sender: ADA, media });
    const [ctx] = bench.host.contexts;
    expect(ctx).toMatchObject({ RawBody: '<media:image>', MediaTypes: ['image/png', 'application/gzip'] });
    expect(readFileSync(ctx!.MediaPath!, 'utf8')).toBe('a picture');
    expect(readFileSync(ctx!.MediaPaths![1]!)).toEqual(bomb);
    expect(JSON.stringify(ctx)).toMatch(/large.*larger than 1 MB.*private\.png.*The address is private/);
    expect(bench.host.reports).toHaveLength(2);
    bench.host.strangers.add('eve');
    await bench.post({ id: '2', sender: { id: 'eve' }, text: 'open it', media });
    expect(bench.host.contexts[1]).not.toHaveProperty('MediaPath');
  });
});

describe('replies', () => {
  test('are signed, and have all that a receiver needs', async () => {
    const bench = await WebhookBench.start();
    const file = bench.media.write('a.png', 'a picture');
    const question = { id: '3f2a', turnId: 't', answers: [{ word: 'yes 3f2a', label: 'Allow' }] };
    const payload = {
      text: 'See',
      replyToId: '1',
      mediaUrls: [file, 'http://refused/x'],
      question,
      channelData: { webhook: { colour: 'red' } },
    };
    const target = { channel: 'webhook', accountId: 'default', to: 'webhook:Room7', threadId: 'T1' };
    expect(await bench.send({ key: 'täg:1', target, payload })).toEqual({ ids: ['m-1'] });
    expect(bench.shown).toEqual([
      {
        key: 'täg:1',
        account: 'default',
        conversation: 'Room7',
        threadId: 'T1',
        text: 'See',
        replyTo: '1',
        mayBeRepeat: false,
        media: [
          {
            type: 'image/png',
            kind: 'image',
            name: 'a.png',
            data: Buffer.from('a picture').toString('base64'),
          },
          { error: 'The address is private' },
        ],
        question,
        extra: { colour: 'red' },
      },
    ]);
    expect(bench.requests[0]).toMatchObject({
      'idempotency-key': 't%C3%A4g:1',
      'content-type': 'application/json',
      path: '/replies?of=me',
    });
  });

  test('are split where the receiver has a limit, and go on behind what was sent', async () => {
    const bench = await WebhookBench.open();
    await bench.makeChannel({ textLimit: 20 }).start(bench.host);
    const sentIds: string[] = [];
    const onPart = async (id: string) => {
      sentIds.push(id);
      bench.faults.push({ status: 503 });
    };
    const payload = { text: 'one two three four five six seven' };
    await failureOf(bench.send({ payload, onPart }));
    await bench.send({ payload, sentIds: [...sentIds], onPart });
    expect(bench.shown.map(({ key, text }) => [key, text])).toEqual([
      ['turn-1:0#0', 'one two three four'],
      ['turn-1:0#1', 'five six seven'],
    ]);
  });

  test.each([
    [400, true, false, 'other'],
    [401, true, false, 'forbidden'],
    [404, true, false, 'gone'],
    [413, true, false, 'too long'],
    [302, true, false, 'other'],
    [408, false, false, 'other'],
    [425, false, false, 'other'],
    [429, false, false, 'busy'],
    [500, false, true, 'other'],
    [502, false, true, 'other'],
    [503, false, false, 'busy'],
  ])('%i: for good %s, may have arrived %s, %s', async (status, isPermanent, mayHaveArrived, reason) => {
    const bench = await WebhookBench.start();
    const location = `${bench.url}/elsewhere`;
    bench.faults.push({ status, headers: { location }, body: '{"error":"line\\nand line"}' });
    const failure = await failureOf(bench.send());
    expect(failure).toMatchObject({ isPermanent, mayHaveArrived, reason });
    expect(failure.message).toBe(`The receiver answered ${status}: line and line`);
    // A redirect is not followed.
    expect(bench.requests).toHaveLength(1);
  });

  test('wait as long as the receiver says, in seconds or until a date', async () => {
    const bench = await WebhookBench.start();
    const date = new Date(bench.now + 90_000).toUTCString();
    bench.faults.push(
      { status: 503, headers: { 'retry-after': '12' } },
      { status: 429, headers: { 'retry-after': date } },
      { status: 429, headers: { 'retry-after': 'soon' } },
    );
    const waits = [];
    for (let n = 0; n < 3; n++) waits.push((await failureOf(bench.send())).retryAfterMs);
    expect(waits).toEqual([12_000, 90_000, undefined]);
  });

  test('have no way out without an address, which is no failure of the channel', async () => {
    const bench = await WebhookBench.open();
    await bench.makeChannel({ url: undefined }).start(bench.host);
    expect(await failureOf(bench.send())).toMatchObject({ isPermanent: true, reason: 'gone' });
    expect(bench.channel.health()).toEqual({ state: 'connected', since: bench.now });
  });

  test.each([400, 403, 410, 413, 422])('%i is about one conversation, not the channel', async (status) => {
    const bench = await WebhookBench.start();
    bench.faults.push({ status }, { status: 500 }, { status });
    await failureOf(bench.send());
    expect(bench.channel.health()).toEqual({ state: 'connected', since: bench.now });
    // One who refuses can be reached.
    await failureOf(bench.send());
    expect(bench.channel.health()).toMatchObject({ state: 'reconnecting' });
    await failureOf(bench.send());
    expect(bench.channel.health()).toMatchObject({ state: 'connected' });
  });

  test.each([302, 404, 405])('%i to every reply is about the address', async (status) => {
    const bench = await WebhookBench.start();
    const { channel } = bench;
    const nothingThere = {
      state: 'reconnecting',
      since: bench.now,
      error: `The receiver answered ${status}. Is the url of the account right?`,
    };
    bench.faults.push({ status });
    await failureOf(bench.send());
    expect(channel.health()).toEqual(nothingThere);
    await bench.send();
    expect(channel.health()).toMatchObject({ state: 'connected' });
    // Where replies got through, one may be about its conversation.
    bench.faults.push({ status }, { status }, { status });
    await failureOf(bench.send());
    expect(channel.health()).toMatchObject({ state: 'connected' });
    await failureOf(bench.send());
    expect(channel.health()).toEqual(nothingThere);
    await failureOf(bench.send());
    expect(channel.health()).toEqual(nothingThere);
    await bench.send();
    expect(channel.health()).toMatchObject({ state: 'connected' });
    bench.faults.push({ status });
    await failureOf(bench.send());
    expect(channel.health()).toMatchObject({ state: 'connected' });
  });

  test('tell the health of the channel', async () => {
    const bench = await WebhookBench.start();
    const { channel } = bench;
    expect(channel.health()).toEqual({ state: 'connected', since: bench.now });
    bench.faults.push({ status: 500 }, { status: 401 });
    await failureOf(bench.send());
    expect(channel.health()).toMatchObject({ state: 'reconnecting', error: 'The receiver answered 500' });
    await failureOf(bench.send());
    expect(channel.health()).toMatchObject({ state: 'failed' });
    await bench.send();
    expect(channel.health()).toMatchObject({ state: 'connected' });
  });

  test('show neither the secret nor the address when something is wrong', async () => {
    const bench = await WebhookBench.open();
    expect(() => bench.makeChannel({ secret: 'short-secret' })).toThrow(
      /^channels\.webhook\.secret must have at least 16 characters$/,
    );
    expect(() => bench.makeChannel({ secret: undefined })).toThrow('channels.webhook.secret is missing');
    expect(() => bench.makeChannel({ url: 'file:///secret' })).toThrow(
      /channels\.webhook\.url must be(?!.*secret)/,
    );
    const { url } = bench;
    bench.makeChannel({ url: url.replace('of=me', 'token=hidden') });
    bench.faults.push('lose answer');
    const { message } = await failureOf(bench.send());
    expect(message).not.toContain('hidden');
  });
});
