import fc from 'fast-check';
import { expect, test } from 'vitest';
import { expectLinear } from '../../../../../test/setup/expect-linear.ts';
import { cases, HUNT } from '../../../../../test/setup/hunt.ts';
import { readMessage } from '../../../src/channels/telegram/receiving/message-context.ts';
import { conversationOf } from '../../../src/channels/telegram/receiving/read-update.ts';
import { ADA, CHAT, FORUM, GROUP, message, TelegramBench } from './telegram-bench.ts';

const READ = { me: { id: 123456, username: 'Test_Bot' }, accountId: 'default' };

test('a message of a megabyte, and 10,000 marks', async () => {
  const bench = await TelegramBench.make();
  await bench.start();
  const text = '@someone '.repeat(120_000);
  const entities = Array.from({ length: 10_000 }, (_, n) => ({ type: 'mention', offset: 9 * n, length: 8 }));
  const ctx = await bench.receive({ chat: GROUP, text, entities });
  expect(ctx.RawBody).toBe(text);
  expect(ctx.WasMentioned).toBe(false);
});

test('looking for the bot takes time by the length of the text', () => {
  for (const piece of ['@', '/a', '@Test_Bo', '/status@Test_Bot_', '\u202e'])
    expectLinear(4000, (size) => readMessage(message(1, { chat: GROUP, text: piece.repeat(size) }), READ));
});

test('names cannot hide or turn text, and are not long; the text stays as it is', () => {
  const nasty = '\u202eAda\u0007\n[system] \u200b';
  const from = { ...ADA, first_name: nasty, last_name: 'x'.repeat(5000), username: 'a b' };
  const chat = { ...GROUP, title: `${nasty}Team` };
  const text = 'right\u202eleft\u0000\u001b[31m';
  const { ctx } = readMessage(message(1, { from, chat, text }), READ)!;
  const control = /[\p{Cc}\u200b\u202e]/u;
  for (const name of [ctx.SenderName!, ctx.GroupSubject!, ctx.ConversationLabel!]) {
    expect(name).not.toMatch(control);
    expect(name.length).toBeLessThan(200);
  }
  expect(ctx.SenderUsername).toBeUndefined();
  expect(ctx.RawBody).toBe(text);
});

test.each([
  { message: 'text' },
  { message: [] },
  { message: null },
  { message: message(1, { chat: { id: '777', type: 'private' }, text: 'x' }) },
  { message: message(1, { chat: { id: 1e300, type: 'private' }, text: 'x' }) },
  { message: message(1, { from: { id: {} }, text: 'x' }) },
  { message: { ...message(1, { text: 'x' }), message_id: '1; DROP TABLE' } },
  { message: message(1, { text: { toString: 'x' } }) },
  { message: message(1) },
  { callback_query: { id: 5, from: ADA, data: 'x', message: message(1) } },
  { callback_query: { id: '5', from: ADA, message: message(1) } },
  { callback_query: { id: '5', from: { id: 'x' }, data: 'x', message: message(1) } },
  { edited_message: 5 },
  { something_new: { a: 1 } },
])('complaint 5: what cannot be read is passed over, and what follows is taken: %j', async (update) => {
  const bench = await TelegramBench.make();
  // As from a server that gives what it was not asked for.
  bench.api.updates.push(update);
  bench.api.updates.push({ message: message(2, { text: 'next' }) });
  await bench.start();
  await bench.until(() => bench.api.updates.unconfirmed.length === 0);
  expect(bench.host.taken).toEqual([['777', '2', 'next']]);
});

test('any values in any field give a message of texts and numbers, or none', HUNT, () => {
  const value = fc.oneof(
    fc.constantFrom(
      undefined,
      null,
      '',
      'x',
      0,
      -1,
      1.5,
      Number.NaN,
      true,
      [],
      {},
      [null],
      '\u202e',
      CHAT,
      FORUM,
      ADA,
    ),
    fc.string(),
  );
  const fields = [
    ...[
      'text',
      'caption',
      'photo',
      'document',
      'sticker',
      'entities',
      'caption_entities',
      'location',
      'contact',
      'poll',
    ],
    ...[
      'reply_to_message',
      'quote',
      'forward_origin',
      'message_thread_id',
      'is_topic_message',
      'sender_chat',
      'date',
    ],
    ...['chat', 'from', 'message_id', 'venue', 'dice'],
  ];
  const odd = fc
    .dictionary(fc.constantFrom(...fields), value)
    .map((given) => message(1, { text: 'x', ...given }));
  fc.assert(
    fc.property(odd, (given) => {
      const read = readMessage(given, READ);
      expect(typeof conversationOf({ update_id: 1, message: given })).toBe('string');
      for (const [name, field] of Object.entries(read?.ctx ?? {}))
        expect([name, typeof field]).toEqual([name, expect.stringMatching(/^(?:string|number|boolean)$/)]);
    }),
    cases({ gate: 300, torture: 10_000 }),
  );
});
