import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type MsgContext, resolveGroupSessionKey } from '@openbot/sessions';
import { describe, expect, test } from 'vitest';
import { routeMessage } from '../../../src/bot/route-message.ts';
import { ADA, CHAT, FORUM, GROUP, message, TelegramBench } from './telegram-bench.ts';

const FIXTURES = join(import.meta.dirname, '../../../../../fixtures/openclaw-gateway');
const route = (ctx: MsgContext) =>
  routeMessage({} as never, { name: 'telegram', accountId: 'default' }, ctx).sessionKey;

const start = async (settings?: Record<string, unknown>) => {
  const bench = await TelegramBench.make();
  await bench.start(settings);
  return bench;
};

describe('what a person writes', () => {
  test('a private chat, with the fields of OpenClaw', async () => {
    const bench = await start();
    const ctx = await bench.receive({ text: 'Hello' }, 21);
    expect(bench.host.taken).toEqual([['777', '21', 'Hello']]);
    expect(ctx).toEqual({
      Body: 'Hello',
      RawBody: 'Hello',
      CommandBody: 'Hello',
      From: 'telegram:777',
      To: 'telegram:777',
      OriginatingTo: 'telegram:777',
      OriginatingChannel: 'telegram',
      Provider: 'telegram',
      Surface: 'telegram',
      ChatType: 'direct',
      AccountId: 'default',
      SenderId: '777',
      SenderName: 'Ada L.',
      SenderUsername: 'ada_l',
      ConversationLabel: 'Ada L. id:777',
      BotUsername: 'Test_Bot',
      MessageSid: '21',
      Timestamp: 1_700_000_000_000,
    });
    expect(route(ctx)).toBe('agent:main:main');
  });

  test('origins of OpenClaw: private chat, group and topic', async () => {
    const bench = await start();
    bench.api.chats.topics.set(FORUM.id, [42]);
    const rows = (readFileSync(join(FIXTURES, 'rpc.json'), 'utf8').match(/"origin":\{[^}]*\}/g) ?? []).map(
      (row) => JSON.parse(row.slice('"origin":'.length)) as { from?: string; to?: string; label?: string },
    );
    const origin = (from: string) => rows.find((row) => row.from === from);
    for (const [from, fields] of [
      ['telegram:777', { from: { id: 777, first_name: 'Alice' } }],
      ['telegram:group:-100123', { chat: GROUP }],
      ['telegram:group:-100123:topic:42', { chat: FORUM, is_topic_message: true, message_thread_id: 42 }],
    ] as const) {
      const { From, To, ConversationLabel, MessageThreadId } = await bench.receive({ text: 'x', ...fields });
      const { to, label, threadId } = origin(from) as Record<string, unknown>;
      expect([From, To, ConversationLabel, MessageThreadId]).toEqual([from, to, label, threadId]);
    }
  });

  test('a group, and whether the bot is meant', async () => {
    const bench = await start();
    const wasMentioned = async (fields: Record<string, unknown>) =>
      (await bench.receive({ chat: GROUP, ...fields })).WasMentioned;
    expect(await wasMentioned({ text: 'Nobody is meant' })).toBe(false);
    expect(await wasMentioned({ text: 'Hi @test_bot!' })).toBe(true);
    expect(await wasMentioned({ text: 'Hi @test_bot_2' })).toBe(false);
    expect(await wasMentioned({ text: 'mail@test_bot' })).toBe(false);
    expect(await wasMentioned({ text: '/status@Test_Bot' })).toBe(true);
    expect(await wasMentioned({ text: '/status@other_bot' })).toBe(false);
    expect(await wasMentioned({ caption: '@Test_Bot look', photo: [] })).toBe(true);
    const entities = [{ type: 'text_mention', offset: 0, length: 3, user: { id: bench.api.me.id } }];
    expect(await wasMentioned({ text: 'Bot, hi', entities })).toBe(true);
    expect(await wasMentioned({ text: 'Yes', reply_to_message: message(3, { from: bench.api.me }) })).toBe(
      true,
    );
    expect(await wasMentioned({ text: 'Yes', reply_to_message: message(3, { text: 'a' }) })).toBe(false);
    const ctx = bench.host.contexts.at(-1)!;
    expect(ctx).toMatchObject({
      ChatType: 'group',
      GroupSubject: 'Team',
      ReplyToId: '3',
      ReplyToBody: 'a',
      ReplyToSender: 'Ada L.',
    });
    expect(route(ctx)).toBe('agent:main:telegram:group:-100123');
  });

  test('topics are threads, General too; a chain of replies is none', async () => {
    const bench = await start();
    const root = { message_id: 42, chat: FORUM, forum_topic_created: { name: 'Plans' } };
    const topic = { chat: FORUM, is_topic_message: true, message_thread_id: 42 };
    const ctx = await bench.receive({ ...topic, text: 'a', reply_to_message: root });
    expect(ctx).toMatchObject({
      MessageThreadId: 42,
      ThreadLabel: 'Plans',
      IsForum: true,
      WasMentioned: false,
    });
    expect(ctx.ReplyToId).toBeUndefined();
    expect(resolveGroupSessionKey(ctx)?.key).toBe('telegram:group:-100123:topic:42');
    expect(await bench.receive({ chat: FORUM, text: 'b' }, 2)).toMatchObject({
      MessageThreadId: 1,
      From: 'telegram:group:-100123:topic:1',
    });
    const inGroup = await bench.receive({ chat: GROUP, message_thread_id: 9, text: 'c' }, 3);
    expect(inGroup.MessageThreadId).toBeUndefined();
    expect(bench.host.taken.map(([conversation]) => conversation)).toEqual([
      '-100123:topic:42',
      '-100123:topic:1',
      '-100123',
    ]);
  });

  test('posts of channels only where they are wanted', async () => {
    const CHANNEL = { id: -100777, type: 'channel', title: 'News' };
    const post = message(5, { chat: CHANNEL, from: undefined, sender_chat: CHANNEL, text: 'News!' });
    const linked = message(6, {
      chat: GROUP,
      sender_chat: CHANNEL,
      is_automatic_forward: true,
      text: 'News!',
    });
    const off = await start();
    expect(off.api.updates.allowed).not.toContain('channel_post');
    expect(off.api.updates.push({ channel_post: post })).toBeUndefined();
    await off.deliver({ message: linked });
    expect(off.host.calls).toBe(0);
    const on = await start({ channelPosts: true });
    await on.deliver({ channel_post: post });
    const [ctx] = on.host.contexts;
    expect(ctx).toMatchObject({ ChatType: 'channel', SenderId: '-100777', From: 'telegram:channel:-100777' });
    expect(route(ctx!)).toBe('agent:main:telegram:channel:-100777');
    await on.deliver({ message: linked });
    expect(on.host.calls).toBe(2);
  });

  test('a changed message is amended', async () => {
    const bench = await start();
    await bench.receive({ text: 'Helo' }, 7);
    await bench.deliver({ edited_message: message(7, { text: 'Hello', edit_date: 1 }) });
    expect(bench.host.amended).toEqual([['777', '7', 'Hello']]);
    await bench.deliver({ edited_message: message(8, { location: { latitude: 1, longitude: 2 } }) });
    expect(bench.host.amended).toHaveLength(1);
  });

  test('a pressed button is a message with its word', async () => {
    const bench = await start();
    const shown = message(50, {
      chat: GROUP,
      from: bench.api.me,
      text: 'May I?',
      reply_to_message: message(49),
    });
    const press = { id: '9001', from: ADA, message: shown, data: 'yes 3f2a' };
    await bench.deliver({ callback_query: press });
    expect(bench.host.taken).toEqual([['-100123', 'callback:9001', 'yes 3f2a']]);
    expect(bench.host.contexts[0]).toMatchObject({
      SenderId: '777',
      ReplyToId: '50',
      ReplyToBody: 'May I?',
      WasMentioned: true,
      MessageSid: 'callback:9001',
    });
    await bench.until(() => bench.api.callsOf('answerCallbackQuery').length === 1);
    expect(bench.api.callsOf('answerCallbackQuery')[0]!.params).toEqual({ callback_query_id: '9001' });
    // What Telegram no longer shows us of the message is no reason to lose the answer.
    await bench.deliver({
      callback_query: { ...press, id: '9002', message: { chat: CHAT, message_id: 50, date: 0 } },
    });
    expect(bench.host.taken[1]).toEqual(['777', 'callback:9002', 'yes 3f2a']);
    // A call that nothing depends on holds up nothing.
    await bench.until(() => bench.api.callsOf('answerCallbackQuery').length === 2);
    bench.api.addFault('answerCallbackQuery', { fault: 'stall' });
    await bench.deliver({ callback_query: { ...press, id: '9003' } });
    await bench.receive({ text: 'And?', chat: GROUP }, 60);
    expect(bench.host.taken[3]).toEqual(['-100123', '60', 'And?']);
  });

  test('forwards and quotes', async () => {
    const bench = await start();
    const chat = { id: -100555, title: 'Paper', username: 'paper', type: 'channel' };
    const forward_origin = { type: 'channel', date: 5, chat, author_signature: 'Bob' };
    expect(await bench.receive({ text: 'x', forward_origin })).toMatchObject({
      ForwardedFrom: 'Paper',
      ForwardedFromType: 'channel',
      ForwardedFromId: '-100555',
      ForwardedFromUsername: 'paper',
      ForwardedFromTitle: 'Paper',
      ForwardedFromSignature: 'Bob',
      ForwardedDate: 5000,
    });
    const reply_to_message = message(3, { text: 'The whole text' });
    expect(await bench.receive({ text: 'x', reply_to_message, quote: { text: 'whole' } }, 2)).toMatchObject({
      ReplyToBody: 'whole',
      ReplyToIsQuote: true,
    });
  });

  test('ids decide: who writes in the name of a chat is that chat, and other bots are not heard', async () => {
    const bench = await start();
    const anonymous = { id: 1087968824, is_bot: true, first_name: 'Group', username: 'GroupAnonymousBot' };
    const ctx = await bench.receive({ chat: GROUP, from: anonymous, sender_chat: GROUP, text: 'x' });
    expect(ctx).toMatchObject({ SenderId: '-100123', SenderName: 'Team' });
    await bench.receive({ chat: GROUP, from: { id: 5, is_bot: true, first_name: 'Other' }, text: 'loop' }, 2);
    await bench.receive({ chat: GROUP, new_chat_members: [ADA] }, 3);
    expect(bench.host.calls).toBe(1);
  });

  test.each([
    [{ location: { latitude: 1.5, longitude: -2 }, venue: { title: 'Café' } }, '[location 1.5, -2: Café]'],
    [{ contact: { first_name: 'Bob', phone_number: '+1' } }, '[contact Bob +1]'],
    [{ poll: { question: 'Who?' } }, '[poll Who?]'],
    [{ dice: { emoji: '🎲', value: 3 } }, '[dice 🎲 3]'],
    [{ sticker: { emoji: '😀', is_animated: true, file_id: 'x' } }, '<media:sticker> 😀'],
  ])('what is no text has words: %j', async (fields, words) => {
    const bench = await start();
    expect((await bench.receive(fields)).RawBody).toBe(words);
  });
});
