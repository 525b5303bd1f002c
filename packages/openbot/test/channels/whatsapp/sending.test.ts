import { describe, expect, test, vi } from 'vitest';
import type { SendFailure } from '../../../src/channels/contract.ts';
import { CloudApi } from './cloud-api.ts';
import { ADA, WhatsAppBench } from './whatsapp-bench.ts';

const failureOf = (sending: Promise<unknown>) =>
  sending.then(
    () => expect.fail('It was sent.'),
    (error) => error as SendFailure,
  );

/** Where nothing listens any more. */
async function closedAddress(): Promise<string> {
  const api = await CloudApi.open();
  const { url } = api;
  await api.close();
  return url;
}

describe('what a reply answers', () => {
  test('is left out where WhatsApp refuses it, and where it cannot be a message of WhatsApp', async () => {
    const bench = await WhatsAppBench.start();
    bench.api.faults.push({ fault: 'error', code: 100 });
    await bench.send({ payload: { text: 'one', replyToId: 'wamid.gone' } });
    await bench.send({ payload: { text: 'two', replyToId: '42' } });
    expect(bench.api.shown.map(({ text, replyTo }) => [text, replyTo])).toEqual([
      ['one', undefined],
      ['two', undefined],
    ]);
    // What is wrong besides is told.
    for (let n = 0; n < 2; n++) bench.api.faults.push({ fault: 'error', code: 100 });
    const failure = bench.send({ payload: { text: 'three', replyToId: 'wamid.a' } });
    await expect(failure).rejects.toMatchObject({ isPermanent: true, mayHaveArrived: false });
  });
});

describe('a text', () => {
  test('is split after it was rendered, with the context on the first part', async () => {
    const bench = await WhatsAppBench.start();
    const paragraph = `**${'word '.repeat(99)}end**`;
    const text = Array(20).fill(paragraph).join('\n\n');
    const parts: string[] = [];
    const onPart = async (id: string) => void parts.push(id);
    const { ids } = await bench.send({ payload: { text, replyToId: 'wamid.q' }, onPart });
    const { shown } = bench.api;
    expect(shown.map(({ replyTo }) => replyTo)).toEqual(['wamid.q', undefined, undefined]);
    expect(shown.every((message) => message.text.length <= 4096 && !message.text.includes('**'))).toBe(true);
    expect(shown.map((message) => message.text).join('\n\n')).toBe(text.replaceAll('**', '*'));
    expect([ids, parts]).toEqual([shown.map(({ id }) => id), ids.slice(0, -1)]);
    expect(await bench.send({ payload: { text: ' ' } })).toEqual({ ids: [] });
    const alone = bench.send({ payload: { channelData: { whatsapp: {} } } });
    await expect(alone).rejects.toMatchObject({ isPermanent: true, mayHaveArrived: false });
  });

  test('goes to a number or to a user id', async () => {
    const bench = await WhatsAppBench.start();
    for (const to of ['whatsapp:+49 151 123', '49151123', 'WhatsApp:US.42', 'us.42'])
      await bench.send({ to });
    expect(bench.api.shown.map(({ to, recipient }) => to ?? recipient)).toEqual([
      '49151123',
      '49151123',
      'US.42',
      'US.42',
    ]);
    const failure = await failureOf(bench.send({ to: 'whatsapp:Ada' }));
    expect(failure).toMatchObject({ isPermanent: true, mayHaveArrived: false, reason: 'gone' });
  });

  test('that asks has buttons, and what is pressed arrives as its word', async () => {
    const bench = await WhatsAppBench.start();
    const ask = (text: string, ...answers: { word: string; label: string }[]) => {
      const question = { id: '3f2a', turnId: 't', answers };
      return bench.send({ payload: { text, question } });
    };
    const [yes, no] = [
      { word: 'yes 3f2a', label: 'Allow' },
      { word: 'no 3f2a', label: 'Deny this and everything like it' },
    ];
    await ask('May I?', yes, no);
    expect(bench.api.shown[0]).toMatchObject({
      type: 'interactive',
      text: 'May I?',
      buttons: [
        { id: 'answer:yes 3f2a', title: 'Allow' },
        { id: 'answer:no 3f2a', title: 'Deny this and every…' },
      ],
    });
    const { id, buttons } = bench.api.shown[0]!;
    const interactive = { type: 'button_reply', button_reply: buttons![0] };
    await bench.write({ type: 'interactive', interactive, context: { id } });
    expect(bench.host.contexts[0]).toMatchObject({ RawBody: 'yes 3f2a', ReplyToId: id });
    await ask('word '.repeat(300).trim(), yes, no);
    expect(bench.api.shown.slice(1).map(({ type }) => type)).toEqual(['text', 'interactive']);
    await ask('Which?', yes, no, { word: 'a', label: 'A' }, { word: 'b', label: 'B' });
    expect(bench.api.shown.at(-1)).toMatchObject({ type: 'text', text: 'Which?' });
  });
});

describe('refusals', () => {
  test.each([
    [4, 'busy', 60_000],
    [80007, 'busy', 60_000],
    [130429, 'busy', 5000],
    [131056, 'busy', 7000],
    [131048, 'busy', 900_000],
    [131000, 'other', 0],
    [190, 'forbidden', 300_000],
    [368, 'forbidden', 300_000],
    [131031, 'forbidden', 300_000],
  ])('%i is tried again: %s, after %i ms', async (code, reason, retryAfterMs) => {
    const bench = await WhatsAppBench.start();
    bench.api.faults.push({ fault: 'error', code });
    const failure = await failureOf(bench.send());
    expect(failure).toMatchObject({ isPermanent: false, mayHaveArrived: false, reason, retryAfterMs });
    expect(failure.message).toContain(`(${code}): As planned`);
  });

  test.each([
    [131026, 'gone'],
    [131047, 'window closed'],
    [131030, 'forbidden'],
    [100, 'other'],
    [131051, 'other'],
    [132001, 'other'],
  ])('%i is for good: %s', async (code, reason) => {
    const bench = await WhatsAppBench.start();
    bench.api.faults.push({ fault: 'error', code });
    const failure = await failureOf(bench.send());
    expect(failure).toMatchObject({ isPermanent: true, mayHaveArrived: false, reason });
  });

  test('say when to come again in more than one way', async () => {
    const bench = await WhatsAppBench.start();
    const usage = { '1': [{ type: 'whatsapp', estimated_time_to_regain_access: 19 }] };
    bench.api.faults.push(
      { fault: 'error', code: 80007, headers: { 'x-business-use-case-usage': JSON.stringify(usage) } },
      { fault: 'error', code: 130429, status: 429, headers: { 'retry-after': '30' } },
      { fault: 'error', code: 999_999, status: 429 },
      { fault: 'error', code: 999_999, status: 503 },
      { fault: 'error', code: 999_999, status: 400 },
    );
    const told = [];
    for (let n = 0; n < 5; n++) {
      const { isPermanent, retryAfterMs } = await failureOf(bench.send());
      told.push([isPermanent, retryAfterMs]);
    }
    expect(told).toEqual([
      [false, 19 * 60_000],
      [false, 30_000],
      [false, 60_000],
      [false, 0],
      [true, undefined],
    ]);
  });

  test('of a proxy leave open whether the message arrived', async () => {
    const bench = await WhatsAppBench.start();
    bench.api.faults.push({ fault: 'page', status: 502 }, { fault: 'page', status: 403 });
    expect(await failureOf(bench.send())).toMatchObject({ isPermanent: false, mayHaveArrived: true });
    expect(await failureOf(bench.send())).toMatchObject({ isPermanent: true, mayHaveArrived: false });
  });

  test('that never left this machine did not arrive', async () => {
    const bench = await WhatsAppBench.start();
    bench.makeChannel({ apiRoot: await closedAddress() });
    const failure = await failureOf(bench.send());
    expect(failure).toMatchObject({ isPermanent: false, mayHaveArrived: false });
    expect(failure.message).toContain('ECONNREFUSED');
  });

  test('have no secret in their words', async () => {
    const bench = await WhatsAppBench.start();
    bench.api.isTokenValid = false;
    const { message } = await failureOf(bench.send());
    expect(message).toContain('channels.whatsapp.accessToken');
    expect(message).not.toContain(bench.api.accessToken);
  });
});

describe('statuses', () => {
  test('are told by the key of the reply, in whatever order they come', async () => {
    const bench = await WhatsAppBench.start();
    const { api, host } = bench;
    await bench.send({ key: 'turn-9:1' });
    const [message] = api.shown;
    for (const state of ['read', 'sent', 'delivered', 'sent', 'warning']) {
      expect(await bench.status(api.statusOf(message!, state))).toBe(200);
    }
    const receipt = { id: message!.id, key: 'turn-9:1', part: { index: 0, count: 1 } };
    expect(host.receipts).toEqual(
      ['read', 'sent', 'delivered', 'sent'].map((state) => ({ ...receipt, state })),
    );
    await bench.status({ id: 'wamid.other', status: 'sent', biz_opaque_callback_data: 'of another program' });
    expect(host.receipts.at(-1)).toEqual({ id: 'wamid.other', state: 'sent' });
  });

  test('prove each part of a send, also of one whose answer was lost', async () => {
    const bench = await WhatsAppBench.start();
    const { api, host } = bench;
    const payload = { text: ['a', 'b', 'c'].map((letter) => letter.repeat(4000)).join('\n\n') };
    const sentIds: string[] = [];
    const onPart = async (id: string) => {
      sentIds.push(id);
      if (sentIds.length === 1) api.faults.push({ fault: 'lose answer' });
    };
    const failure = await failureOf(bench.send({ payload, onPart }));
    // Long enough for a status to come before the next try.
    expect(failure).toMatchObject({ isPermanent: false, mayHaveArrived: true, retryAfterMs: 15_000 });
    const [, lost] = api.shown;
    await bench.status(api.statusOf(lost!, 'delivered'));
    expect(host.receipts).toEqual([
      { id: lost!.id, state: 'delivered', key: 'turn-1:0', part: { index: 1, count: 3 } },
    ]);
    // The outbox has learned the part from the receipt.
    await bench.send({ payload, onPart, sentIds: [...sentIds, lost!.id], mayBeRepeat: true });
    expect(api.shown.map(({ text }) => text[0])).toEqual(['a', 'b', 'c']);
  });

  test('of a failure say why, also long after the send', async () => {
    const bench = await WhatsAppBench.start();
    const { api, host } = bench;
    await bench.send();
    const error = { code: 131026, title: 'Message undeliverable' };
    await bench.status(api.statusOf(api.shown[0]!, 'failed', error));
    expect(host.receipts).toMatchObject([
      { key: 'turn-1:0', state: 'failed', error: 'WhatsApp refused it (131026): Message undeliverable' },
    ]);
  });

  test('come again when the receipt was not kept', async () => {
    const bench = await WhatsAppBench.start();
    const { api, host } = bench;
    await bench.send();
    const { receipt } = host;
    host.receipt = async () => {
      throw new Error('The disk is full.');
    };
    expect(await bench.status(api.statusOf(api.shown[0]!, 'read'))).toBe(500);
    host.receipt = receipt;
    await api.redeliver();
    expect(host.receipts).toMatchObject([{ state: 'read' }]);
  });

  test('do not prove what is too long for WhatsApp to give back', async () => {
    const bench = await WhatsAppBench.start();
    await bench.send({ key: 'k'.repeat(600) });
    expect(bench.api.shown[0]!.callbackData).toBeUndefined();
  });
});

describe('outside of the 24 hours', () => {
  const template = { name: 'come_back', language: 'en_US' };

  test('a reply fails with a sentence that explains it', async () => {
    const bench = await WhatsAppBench.start();
    bench.api.silent.add(ADA.number);
    const failure = await failureOf(bench.send());
    expect(failure).toMatchObject({ isPermanent: true, reason: 'window closed' });
    expect(failure.message).toMatch(/24 hours of the last message.*channels\.whatsapp\.template/);
    expect(bench.api.shown).toEqual([]);
  });

  test('a template invites the person, and the reply counts as failed', async () => {
    const bench = await WhatsAppBench.open();
    await bench.makeChannel({ template }).start(bench.host);
    bench.api.silent.add(ADA.number);
    bench.api.templates.add('come_back');
    const failure = await failureOf(bench.send());
    expect(failure).toMatchObject({ isPermanent: true, reason: 'window closed' });
    expect(failure.message).toContain('The template come_back was sent instead');
    expect(bench.api.shown[0]!.content).toEqual({ name: 'come_back', language: { code: 'en_US' } });
  });

  test('an invitation whose answer is lost is not sent again, and its status proves no reply', async () => {
    const bench = await WhatsAppBench.open();
    await bench.makeChannel({ template }).start(bench.host);
    bench.api.silent.add(ADA.number);
    bench.api.templates.add('come_back');
    bench.api.faults.push({ fault: 'none' }, { fault: 'lose answer' });
    const failure = await failureOf(bench.send());
    expect(failure).toMatchObject({ isPermanent: true, mayHaveArrived: false, reason: 'window closed' });
    expect(failure.message).toContain('The template come_back was perhaps sent');
    const [invitation] = bench.api.shown;
    await bench.status(bench.api.statusOf(invitation!, 'sent'));
    expect(bench.host.receipts.filter(({ key }) => key !== undefined)).toEqual([]);
    // One that was not sent is tried again with its reply.
    bench.api.faults.push({ fault: 'none' }, { fault: 'error', code: 131016 });
    expect(await failureOf(bench.send())).toMatchObject({ isPermanent: false, mayHaveArrived: false });
    expect(bench.api.shown).toHaveLength(1);
  });

  test('a template with the text whose answer is lost is proved by its status, as the whole reply', async () => {
    const bench = await WhatsAppBench.open();
    await bench.makeChannel({ template: { ...template, withText: true } }).start(bench.host);
    bench.api.silent.add(ADA.number);
    bench.api.templates.add('come_back');
    bench.api.faults.push({ fault: 'none' }, { fault: 'lose answer' });
    const failure = await failureOf(bench.send({ payload: { text: 'x'.repeat(9000) } }));
    expect(failure).toMatchObject({ isPermanent: false, mayHaveArrived: true, retryAfterMs: 15_000 });
    await bench.status(bench.api.statusOf(bench.api.shown[0]!, 'sent'));
    expect(bench.host.receipts).toMatchObject([{ key: 'turn-1:0', part: { index: 0, count: 1 } }]);
  });

  test('a template with the text stands for the whole reply', async () => {
    const bench = await WhatsAppBench.open();
    await bench.makeChannel({ template: { ...template, withText: true } }).start(bench.host);
    bench.api.silent.add(ADA.number);
    bench.api.templates.add('come_back');
    const { ids } = await bench.send({ payload: { text: 'two\n\nlines' } });
    expect(ids).toEqual([bench.api.shown[0]!.id]);
    const textOf = (at: number) => JSON.stringify(bench.api.shown[at]!.content.components);
    expect(textOf(0)).toBe('[{"type":"body","parameters":[{"type":"text","text":"two lines"}]}]');
    await bench.send({ payload: { text: 'x'.repeat(9000) }, key: 'b' });
    expect(textOf(1)).toContain(`${'x'.repeat(899)}…`);
    expect(bench.api.shown).toHaveLength(2);
    expect(bench.host.reports).toHaveLength(1);
  });

  test.each([
    [131000, 0],
    [130429, 5000],
    [131056, 7000],
    [131031, 300_000],
    [131026, undefined],
  ])('a failure %i that is told later is tried again after %s ms', async (code, retryAfterMs) => {
    const bench = await WhatsAppBench.start();
    await bench.send();
    const [message] = bench.api.shown;
    const failed = bench.api.statusOf(message!, 'failed', { code, title: 'Later' });
    await bench.status(failed);
    expect(bench.host.receipts).toMatchObject([{ state: 'failed', id: message!.id }]);
    expect(bench.host.receipts[0]!.retryAfterMs).toBe(retryAfterMs);
    // Statuses come twice, and late: they prove nothing any more.
    await bench.status(failed);
    await bench.status(bench.api.statusOf(message!, 'sent'));
    expect(bench.host.receipts).toHaveLength(1);
  });

  test('a template takes the place of a reply that WhatsApp refused only later', async () => {
    const bench = await WhatsAppBench.open();
    await bench.makeChannel({ template: { ...template, withText: true } }).start(bench.host);
    bench.api.templates.add('come_back');
    await bench.send();
    const [message] = bench.api.shown;
    const failed = bench.api.statusOf(message!, 'failed', { code: 131047, title: 'Re-engagement message' });
    await bench.status(failed);
    await bench.status(failed);
    const [receipt, again] = bench.host.receipts;
    expect(receipt).toMatchObject({
      state: 'failed',
      error: expect.stringMatching(/24 hours.*The template come_back is sent instead/),
    });
    expect(again).toBeUndefined();
    // The outbox has it from here: a lost answer or a restart does not lose it.
    const key = `${receipt!.key}:instead`;
    const payload = { text: 'Hello', channelData: receipt!.instead! };
    bench.api.faults.push({ fault: 'error', code: 131000 });
    expect(await failureOf(bench.send({ key, payload }))).toMatchObject({ isPermanent: false });
    const { ids } = await bench.send({ key, payload });
    expect(bench.api.shown.map(({ type }) => type)).toEqual(['text', 'template']);
    expect(ids).toEqual([bench.api.shown[1]!.id]);
    await bench.makeChannel().start(bench.host);
    expect(await failureOf(bench.send({ key, payload }))).toMatchObject({ isPermanent: true });
  });

  test('a template that WhatsApp does not know is a refusal', async () => {
    const bench = await WhatsAppBench.open();
    await bench.makeChannel({ template }).start(bench.host);
    bench.api.silent.add(ADA.number);
    expect(await failureOf(bench.send())).toMatchObject({ isPermanent: true, mayHaveArrived: false });
  });
});

describe('marks', () => {
  test('show that a message was read, and that an answer is on its way', async () => {
    const bench = await WhatsAppBench.start();
    const { api, channel } = bench;
    await bench.write({ id: 'wamid.a', text: 'hi' });
    await vi.waitFor(() => expect(api.readMarks).toEqual([{ id: 'wamid.a', isTyping: false }]));
    await bench.write({ id: 'wamid.a', text: 'hi' });
    const target = { channel: 'whatsapp', accountId: 'default', to: `whatsapp:+${ADA.number}` };
    await channel.showActivity(target);
    await channel.showActivity(target, { id: 'wamid.b' });
    await channel.showActivity({ ...target, to: 'whatsapp:+1' });
    expect(api.readMarks.slice(1)).toEqual([
      { id: 'wamid.a', isTyping: true },
      { id: 'wamid.b', isTyping: true },
    ]);
    await channel.react(target, 'wamid.a', '👀');
    await channel.react(target, 'wamid.a', undefined);
    expect(api.shown.map(({ type, text, replyTo }) => [type, text, replyTo])).toEqual([
      ['reaction', '👀', 'wamid.a'],
      ['reaction', '', 'wamid.a'],
    ]);
  });

  test('of reading can be turned off', async () => {
    const bench = await WhatsAppBench.open();
    await bench.makeChannel({ sendReadReceipts: false }).start(bench.host);
    await bench.write({ text: 'hi' });
    const target = { channel: 'whatsapp', accountId: 'default', to: `whatsapp:+${ADA.number}` };
    await bench.channel.showActivity(target, { id: 'wamid.a' });
    await bench.channel.stop();
    expect([bench.api.readMarks, bench.channel.capabilities.canShowActivity]).toEqual([[], false]);
  });
});

describe('health', () => {
  test.each([368, 131031])('says %i, a block of the account, until a send gets through', async (code) => {
    const bench = await WhatsAppBench.start();
    await vi.waitFor(() => expect(bench.channel.health()).toMatchObject({ state: 'connected' }));
    bench.api.faults.push({ fault: 'error', code, status: 403 });
    await failureOf(bench.send());
    expect(bench.channel.health()).toMatchObject({
      state: 'failed',
      error: expect.stringMatching(new RegExp(`${code}.*Meta has blocked the account`)),
    });
    await bench.send();
    expect(bench.channel.health()).toMatchObject({ state: 'connected' });
  });

  test('tells a token that is refused from a network that is down, and recovers', async () => {
    const bench = await WhatsAppBench.open();
    const { api } = bench;
    expect(bench.channel.health()).toEqual({ state: 'stopped' });
    api.isTokenValid = false;
    await bench.channel.start(bench.host);
    await vi.waitFor(() => expect(bench.channel.health()).toMatchObject({ state: 'failed' }));
    api.isTokenValid = true;
    await vi.waitFor(() => expect(bench.channel.health()).toMatchObject({ state: 'connected' }));
    expect(bench.channel.summary()).toBe('WhatsApp: connected as Bot');
    expect(await bench.channel.probe(AbortSignal.timeout(5000))).toBe('WhatsApp: +1 555-010-0000, Bot');
    api.isTokenValid = false;
    await failureOf(bench.send());
    expect(bench.channel.health()).toMatchObject({ state: 'failed', error: expect.stringContaining('190') });
    await expect(bench.channel.probe(AbortSignal.timeout(5000))).rejects.toThrow('190');
    await bench.channel.stop();
    expect(bench.channel.health()).toEqual({ state: 'stopped' });
    await bench.makeChannel({ apiRoot: await closedAddress() }).start(bench.host);
    await vi.waitFor(() => expect(bench.channel.health()).toMatchObject({ state: 'reconnecting' }));
  });
});

describe('settings', () => {
  test('that are missing or wrong are named, without their value', async () => {
    const bench = await WhatsAppBench.open();
    const open = (settings: object) => () => bench.makeChannel({ ...settings });
    expect(open({ appSecret: undefined })).toThrow('channels.whatsapp.appSecret is missing');
    expect(open({ apiVersion: '24' })).toThrow(
      'channels.whatsapp.apiVersion must be a version such as v24.0',
    );
    expect(open({ template: { name: 'x' } })).toThrow('channels.whatsapp.template.language');
    expect(open({ apiRoot: 'ftp://secret' })).toThrow(/apiRoot must be an address(?!.*secret)/);
  });
});
