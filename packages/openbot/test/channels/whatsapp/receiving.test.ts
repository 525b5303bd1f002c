import { describe, expect, test, vi } from 'vitest';
import { routeMessage } from '../../../src/bot/route-message.ts';
import { escapeJson } from './cloud-api.ts';
import { ADA, messageOf, SENT_AT, WhatsAppBench } from './whatsapp-bench.ts';

describe('the handshake', () => {
  test('gives the challenge back to one who knows the token, and to nobody else', async () => {
    const { door, api } = await WhatsAppBench.start();
    const ask = async (query: Record<string, string>) => {
      const response = await fetch(`${door.url}?${new URLSearchParams(query)}`);
      return [response.status, await response.text(), response.headers.get('content-type')] as const;
    };
    const right = {
      'hub.mode': 'subscribe',
      'hub.verify_token': api.verifyToken,
      'hub.challenge': '1158201444',
    };
    expect(await ask(right)).toEqual([200, '1158201444', 'text/plain; charset=utf-8']);
    for (const wrong of [
      { 'hub.verify_token': 'other' },
      { 'hub.verify_token': '' },
      { 'hub.mode': 'unsubscribe' },
      { 'hub.challenge': '<script>alert(1)</script>' },
    ]) {
      expect((await ask({ ...right, ...wrong }))[0]).toBe(403);
    }
    expect((await ask({}))[0]).toBe(403);
    expect((await fetch(door.url, { method: 'PUT' })).status).toBe(405);
  });
});

describe('the signature', () => {
  test('is about the bytes as they were sent', async () => {
    const { api, host, webhook } = await startWith();
    const text = escapeJson(webhook({ messages: [messageOf({ text: 'Grüße / 你好 🙂' })] }));
    expect(text).toContain('\\u00fc');
    const printedAgain = JSON.stringify(JSON.parse(text));
    expect(await api.post(printedAgain, api.sign(text))).toBe(401);
    expect(await api.post(text, api.sign(printedAgain))).toBe(401);
    expect(host.calls).toBe(0);
    expect(await api.post(text)).toBe(200);
    expect(host.texts).toEqual(['Grüße / 你好 🙂']);
  });

  test('refuses what is forged, cut off, or has none', async () => {
    const { api, host, webhook } = await startWith();
    const text = escapeJson(webhook({ messages: [messageOf({ text: 'Hi' })] }));
    const signature = api.sign(text);
    for (const wrong of [
      '',
      'sha256=',
      `${signature}0`,
      signature.slice(0, -1),
      signature.replace('256', '1'),
    ]) {
      expect(await api.post(text, wrong)).toBe(401);
    }
    expect(await api.post(text, signature.toUpperCase())).toBe(401);
    expect(await api.post(text.slice(0, -1), signature)).toBe(401);
    expect((await fetch(api.webhookUrl, { method: 'POST', body: text })).status).toBe(401);
    expect([host.calls, host.asked]).toEqual([0, []]);
  });

  test('that is always wrong is told in the health and, now and then, in the log', async () => {
    const bench = await WhatsAppBench.open();
    const { host, api } = bench;
    const channel = bench.makeChannel({ appSecret: 'mistyped' });
    await channel.start(host);
    await vi.waitFor(() => expect(channel.health().state).toBe('connected'));
    expect(channel.health()).not.toHaveProperty('warning');
    expect(await bench.write({ text: 'Hi' })).toBe(401);
    const why =
      'refused since 2025-06-08T20:59:43.000Z, and none was right: The signature is missing or wrong. If WhatsApp made them, appSecret is not the secret of the app';
    expect(host.reports).toEqual([`1 call was ${why}`]);
    bench.now += 300_000;
    expect(await bench.write({ text: 'Hi' })).toBe(401);
    expect(host.reports).toHaveLength(1);
    expect(channel.health()).toMatchObject({ state: 'connected', warning: `2 calls were ${why}` });
    bench.now += 300_000;
    await bench.write({ text: 'Hi' });
    expect(host.reports).toHaveLength(2);
    // With the right one a forged call harms nothing: the next message shows that the secret is right.
    await channel.stop();
    const other = bench.makeChannel();
    await other.start(host);
    await vi.waitFor(() => expect(other.health().state).toBe('connected'));
    expect(await api.post('{}', 'sha256=0')).toBe(401);
    expect(other.health()).toMatchObject({
      state: 'connected',
      warning: expect.stringMatching(/^1 call was/),
    });
    expect(await bench.write({ text: 'Hi' })).toBe(200);
    expect(other.health()).not.toHaveProperty('warning');
  });

  test('does not make JSON of what is none', async () => {
    const { api, host } = await startWith();
    expect(await api.post('{"object":')).toBe(400);
    for (const strange of [
      'null',
      '[]',
      '"x"',
      '{"entry":7}',
      '{"entry":[{"changes":[{"field":"messages"}]}]}',
    ]) {
      expect(await api.post(strange)).toBe(200);
    }
    expect(host.calls).toBe(0);
  });
});

describe('messages', () => {
  test('of several entries and changes of one POST are all taken, by their time', async () => {
    const { api, host, webhook } = await startWith();
    const late = messageOf({ id: 'c', text: 'third', timestamp: String(SENT_AT + 2) });
    const early = messageOf({ id: 'a', text: 'first' });
    const body = webhook({ messages: [late] }, { messages: [messageOf({ id: 'b', text: 'second' })] });
    const { entry } = webhook({ messages: [early] }) as { entry: object[] };
    expect(await api.deliver({ ...body, entry: [...(body.entry as object[]), ...entry] })).toBe(200);
    expect(host.texts).toEqual(['second', 'first', 'third']);
  });

  test('are delivered again as a whole when one was not kept, without harm to the others', async () => {
    const { api, host, webhook } = await startWith();
    host.failures = 1;
    const messages = ['a', 'b', 'c'].map((id) => messageOf({ id, text: id }));
    expect(await api.deliver(webhook({ messages }))).toBe(500);
    expect(host.texts).toEqual(['b', 'c']);
    await api.redeliver();
    expect(host.texts).toEqual(['b', 'c', 'a']);
    expect(host.reports).toEqual([expect.stringContaining('The disk is full.')]);
  });

  test('that come twice at the same time are taken once, and both are answered afterwards', async () => {
    const bench = await WhatsAppBench.start();
    const { host, api } = bench;
    api.media.set('m1', { bytes: Buffer.from('picture'), type: 'image/jpeg' });
    const image = { id: 'a', type: 'image', image: { id: 'm1', mime_type: 'image/jpeg' } };
    const answers = await Promise.all([bench.write(image), bench.write(image), bench.write(image)]);
    expect(answers).toEqual([200, 200, 200]);
    expect([host.contexts.length, host.calls >= 1]).toEqual([1, true]);
  });

  test('do not overtake a picture that is still being downloaded', async () => {
    const bench = await WhatsAppBench.start();
    const { api, host } = bench;
    api.media.set('m1', { bytes: Buffer.from('picture'), type: 'image/jpeg', failures: 2 });
    const image = { id: 'm1', mime_type: 'image/jpeg', caption: 'look' };
    const picture = bench.write({ id: 'a', type: 'image', image });
    await vi.waitFor(() => expect(host.asked).toHaveLength(1));
    await Promise.all([picture, bench.write({ id: 'b', text: 'what is it?' })]);
    expect(host.texts).toEqual(['look', 'what is it?']);
    expect(host.contexts[0]).toMatchObject({ MediaPath: expect.any(String) });
  });

  test('that are older than WhatsApp repeats them are a recording, and ignored', async () => {
    const bench = await WhatsAppBench.start();
    const DAY = 24 * 3_600_000;
    bench.now += 7 * DAY;
    expect(await bench.write({ id: 'a', text: 'after a week of trouble' })).toBe(200);
    bench.now += 2 * DAY;
    expect(await bench.write({ id: 'b', text: 'old' })).toBe(200);
    expect(await bench.write({ id: 'c', text: 'older', timestamp: '1' })).toBe(200);
    expect(bench.host.texts).toEqual(['after a week of trouble']);
    expect(bench.host.reports).toEqual([
      'WhatsApp sent a message that is older than a week. It was ignored.',
    ]);
  });

  test('of groups and of other numbers are ignored, and reported once', async () => {
    const bench = await WhatsAppBench.start();
    const { host, api } = bench;
    expect(await bench.write({ id: 'a', text: 'hi all', group_id: 'Y2FwaV9ncm91cDox' })).toBe(200);
    expect(await bench.write({ id: 'b', text: 'hi all', group_id: 'Y2FwaV9ncm91cDox' })).toBe(200);
    const metadata = { phone_number_id: '999' };
    expect(await api.deliver(bench.webhook({ metadata, messages: [messageOf({ text: 'x' })] }))).toBe(200);
    expect(host.calls).toBe(0);
    expect(host.reports).toEqual([
      expect.stringContaining('Groups are not supported'),
      expect.stringContaining('phone number id 999'),
    ]);
  });

  test('that are no texts are put into words', async () => {
    const bench = await WhatsAppBench.start();
    const location = { latitude: 52.5163, longitude: 13.3777, name: 'Gate', address: 'Platz 1' };
    const contacts = [
      { name: { formatted_name: 'Bob' }, phones: [{ phone: '+1 555' }], emails: [{ email: 'b@x' }] },
    ];
    await bench.write(
      { id: '1', type: 'location', location },
      { id: '2', type: 'contacts', contacts },
      { id: '3', type: 'reaction', reaction: { message_id: 'wamid.5', emoji: '👍' } },
      { id: '4', type: 'reaction', reaction: { message_id: 'wamid.5' } },
      { id: '5', type: 'button', button: { text: 'Yes', payload: 'p' }, context: { id: 'wamid.t' } },
      {
        id: '6',
        type: 'interactive',
        interactive: { type: 'list_reply', list_reply: { id: 'x', title: 'Two' } },
      },
      { id: '7', type: 'order', order: {} },
      { id: '8', text: 'passed on', context: { forwarded: true } },
    );
    expect(bench.host.texts).toEqual([
      '(location: 52.5163, 13.3777; Gate; Platz 1)',
      '(contact: Bob, +1 555, b@x)',
      '(reacted with 👍)',
      'Yes',
      'Two',
      '(a message of the kind "order", which WhatsApp does not show to programs)',
      'passed on',
    ]);
    const { contexts } = bench.host;
    expect(contexts.map(({ ReplyToId }) => ReplyToId).filter(Boolean)).toEqual(['wamid.5', 'wamid.t']);
    expect(contexts.at(-1)).toMatchObject({ ForwardedFrom: 'another chat' });
  });

  test('that cannot be taken are told, and a change of number too', async () => {
    const bench = await WhatsAppBench.start();
    await bench.write({ id: undefined, text: 'x' }, { id: 7.5, text: 'x' }, { id: 'a\u0007b', text: 'x' });
    await bench.write({ id: 'a', type: 'system', system: { body: 'Ada changed from 1 to 2' } });
    expect(bench.host.calls).toBe(0);
    expect(bench.host.reports).toEqual([
      'WhatsApp sent a message without an id or a sender. It was ignored.',
      expect.stringContaining('Ada changed from 1 to 2'),
    ]);
  });

  test('are not taken by a channel that has stopped', async () => {
    const bench = await WhatsAppBench.start();
    await bench.channel.stop();
    expect(await bench.write({ text: 'x' })).toBe(503);
    expect(bench.host.calls).toBe(0);
  });
});

describe('people', () => {
  const scoped = { session: { dmScope: 'per-channel-peer' as const } };
  const account = { name: 'whatsapp', accountId: 'default' };

  test('are their user ids, and replies go to their number where there is one', async () => {
    const bench = await WhatsAppBench.start();
    await bench.write({ id: '1', text: 'hi', context: { id: 'wamid.9' } });
    expect(bench.host.taken).toEqual([[ADA.userId, '1', 'hi']]);
    expect(bench.host.contexts[0]).toEqual({
      Body: 'hi',
      RawBody: 'hi',
      CommandBody: 'hi',
      From: `whatsapp:${ADA.userId}`,
      To: 'whatsapp:15550100000',
      AccountId: 'default',
      ChatType: 'direct',
      Provider: 'whatsapp',
      Surface: 'whatsapp',
      OriginatingChannel: 'whatsapp',
      OriginatingTo: `whatsapp:+${ADA.number}`,
      ConversationLabel: 'Ada',
      SenderId: ADA.userId,
      SenderE164: `+${ADA.number}`,
      SenderName: 'Ada',
      MessageSid: '1',
      Timestamp: SENT_AT * 1000,
      ReplyToId: 'wamid.9',
    });
    const [ctx] = bench.host.contexts;
    expect(routeMessage({}, account, ctx!).sessionKey).toBe('agent:main:main');
    const key = `agent:main:whatsapp:dm:${ADA.userId.toLowerCase()}`;
    expect(routeMessage(scoped, account, ctx!).sessionKey).toBe(key);
    // A session of the time of numbers goes on when the number is the name of the person.
    const identityLinks = { [`+${ADA.number}`]: [`whatsapp:${ADA.userId}`] };
    const linked = routeMessage({ session: { ...scoped.session, identityLinks } }, account, ctx!);
    expect(linked.sessionKey).toBe(`agent:main:whatsapp:dm:+${ADA.number}`);
  });

  test('may hide their number, and may be of the time before user ids', async () => {
    const bench = await WhatsAppBench.start();
    const { api, host } = bench;
    const profile = { name: 'Bo\u202eb\n', username: 'bob' };
    const hidden = {
      contacts: [{ profile, user_id: 'US.42' }],
      messages: [messageOf({ id: '1', from: undefined, text: 'a' })],
    };
    await api.deliver(bench.webhook(hidden));
    const said = [messageOf({ id: '2', from: undefined, from_user_id: 'US.42', text: 'b' })];
    await api.deliver(bench.webhook({ ...hidden, messages: said }));
    const old = { contacts: [{ profile: { name: 'Eve' }, wa_id: '15551234567' }] };
    await api.deliver(
      bench.webhook({ ...old, messages: [messageOf({ id: '3', from: '15551234567', text: 'c' })] }),
    );
    expect(host.contexts).toMatchObject([
      { SenderId: 'US.42', OriginatingTo: 'whatsapp:US.42', SenderName: 'Bob', SenderUsername: 'bob' },
      { SenderId: 'US.42', SenderName: 'Bob' },
      { SenderId: '+15551234567', SenderE164: '+15551234567', OriginatingTo: 'whatsapp:+15551234567' },
    ]);
    expect(host.contexts[0]).not.toHaveProperty('SenderE164');
  });

  test('are told apart in one POST, and never taken for one another', async () => {
    const bench = await WhatsAppBench.start();
    const contacts = [
      { profile: { name: 'Ada' }, wa_id: '4911111111', user_id: 'DE.1' },
      { profile: { name: 'Bob' }, wa_id: '4922222222', user_id: 'DE.2' },
    ];
    const from = (id: string, number: string | undefined) => messageOf({ id, from: number, text: id });
    const messages = [
      from('b', '4922222222'),
      from('a', '4911111111'),
      from('?', undefined),
      from('x', '49333333'),
    ];
    await bench.api.deliver(bench.webhook({ contacts, messages }));
    expect(
      bench.host.contexts.map(({ RawBody, SenderId, SenderName }) => [RawBody, SenderId, SenderName]),
    ).toEqual([
      ['b', 'DE.2', 'Bob'],
      ['a', 'DE.1', 'Ada'],
      ['x', '+49333333', undefined],
    ]);
  });
});

describe('hostile input', () => {
  test('is taken as it is or left out, and harms nothing', async () => {
    const bench = await WhatsAppBench.start();
    const { host } = bench;
    const long = 'x'.repeat(1_000_000);
    const mentions = Array.from({ length: 10_000 }, (_, n) => `@${n}`).join(' ');
    const controls = '\u0000\u001b[31m\u202eevil\u2066\ud800';
    await bench.write({ id: '1', text: long }, { id: '2', text: mentions }, { id: '3', text: controls });
    expect(host.texts).toEqual([long, mentions, controls]);
    const strange = [
      { id: '4', type: { evil: true } },
      { id: '5', type: '__proto__' },
      { id: '6', type: 'constructor' },
      { id: '7', text: 7, type: 'text' },
      { id: '8', type: 'location', location: { latitude: 'x', longitude: {} } },
      { id: '9', type: 'contacts', contacts: Array.from({ length: 10_000 }, () => ({ phones: [7, null] })) },
      { id: '10', type: 'image', image: { id: { a: 1 } } },
      { id: '11', type: 'interactive', interactive: [] },
    ];
    expect(await bench.write(...strange)).toBe(200);
    expect(host.contexts).toHaveLength(11);
    expect(host.texts.at(-4)).toBe('(location: ?, ?)');
    expect(host.texts.at(-3)).toMatch(/\(9980 more contacts\)$/);
    const wide = { ...messageOf({ text: 'x' }), id: 'i'.repeat(10_000) };
    await bench.write(wide, { id: '12', from: '4'.repeat(500), from_user_id: 'US.42\nUS.43', text: 'x' });
    expect(host.contexts).toHaveLength(11);
  });
});

async function startWith() {
  const bench = await WhatsAppBench.start();
  return { api: bench.api, host: bench.host, webhook: bench.webhook.bind(bench) };
}
