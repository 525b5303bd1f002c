import { OpenBotError } from '@openbot/sessions';
import { describe, expect, test } from 'vitest';
import { expectLinear } from '../../../../../test/setup/expect-linear.ts';
import { routeMessage } from '../../../src/bot/route-message.ts';
import { readWireMessage } from '../../../src/channels/discord/receiving/wire-message.ts';
import type { BotConfig } from '../../../src/config/bot-config.ts';
import { ADA, atHome, BEN, type DiscordHome } from './discord-home.ts';

const contextOf = ({ host }: DiscordHome, text: string) => {
  const ctx = host.byText.get(text);
  if (ctx === undefined) throw new Error(`“${text.slice(0, 80)}” was not taken`);
  return ctx;
};
const keyOf = (home: DiscordHome, text: string, config: BotConfig = {}) =>
  routeMessage(config, { name: 'discord', accountId: 'default' }, contextOf(home, text)).sessionKey;

describe('what people write', () => {
  test(
    'has the fields and the session of OpenClaw: chats, channels, threads, posts',
    atHome(async (home) => {
      const { network, world } = home;
      const channel = await home.connect();
      const { id } = network.sayDirectly(ADA, 'direct');
      const member = { nick: 'Countess', roles: ['71', '72'] };
      network.say('20', ADA, 'in a channel', { member });
      const started = world.keep(world.makeMessage('20', ADA, { id: '30', content: 'How it began' }));
      network.say('30', ADA, 'in a thread', { member });
      const post = world.newId();
      world.addChannel({ id: post, type: 11, guild_id: '10', parent_id: '21', name: 'An idea' });
      network.gateway.dispatch('THREAD_CREATE', { ...world.channels.get(post), newly_created: true });
      network.say(post, BEN, 'first of a post', { id: post });
      network.say(post, BEN, 'second of a post');
      await home.settle(channel);

      expect(contextOf(home, 'direct')).toEqual({
        Body: 'direct',
        RawBody: 'direct',
        CommandBody: 'direct',
        BodyForCommands: 'direct',
        CommandSource: 'text',
        AccountId: 'default',
        Provider: 'discord',
        Surface: 'discord',
        OriginatingChannel: 'discord',
        OriginatingTo: 'user:501',
        MessageSid: id,
        Timestamp: world.time,
        ChatType: 'direct',
        From: 'discord:501',
        To: 'user:501',
        SenderId: '501',
        SenderName: 'Ada',
        SenderUsername: 'ada',
        SenderTag: 'ada',
        BotUsername: 'openbot',
        ConversationLabel: 'ada user id:501',
      });
      expect(contextOf(home, 'in a channel')).toMatchObject({
        ChatType: 'channel',
        From: 'discord:channel:20',
        To: 'channel:20',
        OriginatingTo: 'channel:20',
        GroupSpace: '10',
        GroupChannel: '#general',
        GroupSubject: '#general',
        ConversationLabel: 'Workshop #general channel id:20',
        SenderName: 'Countess',
        SenderRoles: ['71', '72'],
        WasMentioned: false,
      });
      expect(contextOf(home, 'in a thread')).toMatchObject({
        From: 'discord:channel:20',
        OriginatingTo: 'channel:20',
        MessageThreadId: '30',
        ThreadLabel: 'Discord thread #general › side talk',
        ThreadStarterBody: started.content,
      });
      expect(contextOf(home, 'first of a post')).toMatchObject({ MessageThreadId: post, IsForum: true });
      expect(contextOf(home, 'first of a post')).not.toHaveProperty('ThreadStarterBody');
      expect(contextOf(home, 'second of a post')).toMatchObject({ ThreadStarterBody: 'first of a post' });
      expect(world.joinedThreads).toEqual([post]);

      expect(keyOf(home, 'direct')).toBe('agent:main:main');
      expect(keyOf(home, 'direct', { session: { dmScope: 'per-channel-peer' } })).toBe(
        'agent:main:discord:dm:501',
      );
      expect(keyOf(home, 'in a channel')).toBe('agent:main:discord:channel:20');
      expect(keyOf(home, 'in a thread')).toBe('agent:main:discord:channel:20:thread:30');
      expect(keyOf(home, 'second of a post')).toBe(`agent:main:discord:channel:21:thread:${post}`);
      expect(home.host.taken.map(([chat]) => chat).sort()).toEqual(['7501', '20', '30', post, post].sort());
    }),
  );

  test(
    'mentions the bot by its name, by a role of it, or by a reply, and quotes what it answers',
    atHome(async (home) => {
      const { network, world } = home;
      const channel = await home.connect();
      const own = world.keep(world.makeMessage('20', world.self, { content: 'I said so' }));
      const bens = world.keep(
        world.makeMessage('20', { ...BEN, global_name: 'OpenBot' }, { content: 'he said' }),
      );
      const answer = (message: typeof own) => ({
        type: 19,
        message_reference: { message_id: message.id, channel_id: '20' },
        referenced_message: message,
      });
      network.say('20', ADA, 'hey <@900>, ask <@!502> and <@999>', { mentions: [world.self, BEN] });
      network.say('20', ADA, 'role', { mention_roles: ['77'] });
      network.say('20', ADA, 'other role', { mention_roles: ['78'] });
      network.say('20', ADA, 'all', { mention_everyone: true });
      network.say('20', ADA, 'reply to the bot', answer(own));
      network.say('20', ADA, 'reply to Ben', answer(bens));
      network.say('20', ADA, 'see this', {
        message_reference: { type: 1, message_id: '5', channel_id: '6' },
        message_snapshots: [{ message: { content: 'passed on' } }],
      });
      await home.settle(channel);
      expect(contextOf(home, 'hey @openbot, ask @Ben and <@999>')).toMatchObject({ WasMentioned: true });
      expect(contextOf(home, 'role')).toMatchObject({ WasMentioned: true });
      expect(contextOf(home, 'other role')).toMatchObject({ WasMentioned: false });
      expect(contextOf(home, 'all')).toMatchObject({ WasMentioned: false });
      expect(contextOf(home, 'reply to the bot')).toMatchObject({
        WasMentioned: true,
        ReplyToId: own.id,
        ReplyToBody: 'I said so',
        ReplyToSender: 'openbot',
      });
      // A name that anybody can choose does not count as the bot.
      expect(contextOf(home, 'reply to Ben')).toMatchObject({
        WasMentioned: false,
        ReplyToBody: 'he said',
        ReplyToSender: 'OpenBot (502)',
      });
      expect(contextOf(home, 'see this\n\n[Forwarded message]\npassed on')).toMatchObject({
        CommandBody: 'see this',
      });
    }),
  );

  test(
    'is amended when it was edited, and not when Discord added a preview',
    atHome(async (home) => {
      const { network, host } = home;
      const channel = await home.connect();
      const message = network.sayDirectly(ADA, 'frist');
      network.gateway.dispatch('MESSAGE_UPDATE', { ...message, embeds: [{}] });
      network.gateway.dispatch('MESSAGE_UPDATE', {
        ...message,
        content: 'first',
        edited_timestamp: '2026-05-01T00:00:01Z',
      });
      await home.settle(channel);
      expect(host.taken).toEqual([['7501', message.id, 'frist']]);
      expect(host.amended).toEqual([['7501', message.id, 'first']]);
    }),
  );

  test(
    'that passes on files alone is taken with them',
    atHome(async (home) => {
      const { network, host } = home;
      const channel = await home.connect();
      const file = { id: '9', filename: 'a.png', content_type: 'image/png', size: 3 };
      const attachments = [{ ...file, url: network.keepFile(Buffer.from('png')) }];
      network.sayDirectly(ADA, '', {
        message_reference: { type: 1, message_id: '5', channel_id: '6' },
        message_snapshots: [{ message: { content: '', attachments } }],
      });
      await home.settle(channel);
      expect(host.byText.get('[Forwarded message]')).toMatchObject({ MediaPath: '/media/a.png' });
    }),
  );

  test(
    'keeps its files when it is edited',
    atHome(async (home) => {
      const { network, host } = home;
      const channel = await home.connect();
      const file = { id: '9', filename: 'a.png', content_type: 'image/png', size: 3 };
      const attachments = [{ ...file, url: network.keepFile(Buffer.from('png')) }];
      const message = network.sayDirectly(ADA, 'lok', { attachments });
      const edited_timestamp = '2026-05-01T00:00:01Z';
      network.gateway.dispatch('MESSAGE_UPDATE', { ...message, content: 'look', edited_timestamp });
      await home.settle(channel);
      expect(host.kept('7501', message.id)).toMatchObject({ RawBody: 'look', MediaPath: '/media/a.png' });
    }),
  );

  test(
    'is not heard from the bot itself, nor from other bots unless they are allowed',
    atHome(async (home) => {
      const { network, world, host } = home;
      const robot = world.addUser({ id: '600', username: 'robot', bot: true });
      const talk = async () => {
        const channel = await home.connect();
        network.say('20', world.self, 'own');
        network.say('20', robot, 'robot');
        network.say('20', robot, 'robot to bot', { mentions: [world.self] });
        network.say('20', { id: '601', username: 'hook' }, 'hook', { webhook_id: '601' });
        network.say('20', ADA, 'joined', { type: 7 });
        network.say('20', ADA, '');
        await home.settle(channel);
        await channel.stop();
        return host.taken.splice(0).map(([, , text]) => text);
      };
      expect(await talk()).toEqual([]);
      home.settings = { allowBots: 'mentions' };
      expect(await talk()).toEqual(['robot to bot']);
      home.settings = { allowBots: true };
      expect(await talk()).toEqual(['robot', 'robot to bot', 'hook']);
    }),
  );
});

describe('commands and buttons', () => {
  test(
    'arrive as messages, and Discord has its answer before they are kept',
    atHome(async (home) => {
      const { network, world, host } = home;
      const channel = await home.connect();
      const { accept } = host;
      let answered = 0;
      host.accept = async (message) => {
        await network.gateway.until(() => world.interactionAnswers.length > answered);
        answered++;
        return accept(message);
      };
      const member = { user: ADA, roles: ['71'] };
      const options = [{ type: 3, name: 'text', value: 'opus please' }];
      const base = { token: 'secret', channel_id: '20', guild_id: '10', member };
      network.gateway.dispatch('INTERACTION_CREATE', {
        ...base,
        id: '800',
        type: 2,
        data: { name: 'model', options },
      });
      const question = { id: '70', content: 'May I?', author: world.self };
      const pressed = { custom_id: 'openbot:allow q1' };
      network.gateway.dispatch('INTERACTION_CREATE', {
        ...base,
        id: '801',
        type: 3,
        data: pressed,
        message: question,
      });
      network.gateway.dispatch('INTERACTION_CREATE', {
        ...base,
        id: '802',
        type: 3,
        data: { custom_id: 'other' },
      });
      network.gateway.dispatch('INTERACTION_CREATE', {
        id: '803',
        type: 2,
        token: 'secret',
        channel_id: '7501',
        user: ADA,
        data: { name: 'status' },
      });
      await home.settle(channel);
      host.strangers.add(BEN.id);
      const secret = [{ type: 3, name: 'text', value: 'secret' }];
      network.gateway.dispatch('INTERACTION_CREATE', {
        ...base,
        id: '804',
        type: 2,
        member: { user: BEN },
        data: { name: 'model', options: secret },
      });
      await home.settle(channel);
      expect([...host.taken].sort()).toEqual([
        ['20', '800', '/model opus please'],
        ['20', '801', 'allow q1'],
        ['20', '804', '/model secret'],
        ['7501', '803', '/status'],
      ]);
      expect(contextOf(home, '/model opus please')).toMatchObject({
        CommandSource: 'native',
        WasMentioned: true,
        From: 'discord:channel:20',
        SenderId: '501',
        SenderRoles: ['71'],
      });
      expect(contextOf(home, 'allow q1')).toMatchObject({
        ReplyToId: '70',
        ReplyToBody: 'May I?',
        ReplyToSender: 'openbot',
      });
      expect(contextOf(home, '/status')).toMatchObject({ From: 'discord:501', ChatType: 'direct' });
      const answers = world.interactionAnswers.toSorted((a, b) => Number(a.id) - Number(b.id));
      expect(answers.map(({ id, body }) => [id, body.type])).toEqual([
        ['800', 4],
        ['801', 6],
        ['803', 4],
        ['804', 4],
      ]);
      expect(answers[0]?.body).toMatchObject({
        data: { content: '/model opus please', flags: 64 },
      });
      // A stranger sees that it arrived, and nothing else.
      expect(answers[3]?.body).toMatchObject({ data: { content: 'Received.', flags: 64 } });
    }),
  );

  test(
    'are offered in the menu, and written only when they changed',
    atHome(async (home) => {
      const { network, world } = home;
      const channel = await home.connect();
      const commands = [
        { name: 'status', description: 'Shows the state', takesText: false },
        { name: 'model', description: 'x'.repeat(200), takesText: true },
        { name: 'Not A Name', description: '', takesText: false },
      ];
      await channel.setCommands(commands);
      await channel.setCommands(commands);
      expect(world.commands).toEqual([
        { type: 1, name: 'status', description: 'Shows the state' },
        {
          type: 1,
          name: 'model',
          description: 'x'.repeat(100),
          options: [{ type: 3, name: 'text', description: expect.any(String), required: false }],
        },
      ]);
      const given = () => network.calls.filter(({ method }) => method === 'PUT').length;
      expect(given()).toBe(1);
      // Another bot has a menu of its own.
      await channel.stop();
      world.self.id = '950';
      await (await home.connect()).setCommands(commands);
      expect(given()).toBe(2);
    }),
  );
});

describe('files', () => {
  test(
    'are kept for those who may talk; what does not come is said',
    atHome(async (home) => {
      const { network, media, host } = home;
      const channel = await home.connect();
      const file = (name: string, bytes: Buffer, size = bytes.length) => ({
        id: '1',
        filename: name,
        content_type: 'image/png',
        size,
        url: network.keepFile(bytes, name),
      });
      host.strangers.add(BEN.id);
      network.brokenDownloads.set('/cdn/shaky.png', 2);
      network.brokenDownloads.set('/cdn/broken.png', 99);
      network.sayDirectly(BEN, 'of a stranger', { attachments: [file('stranger.png', Buffer.from('x'))] });
      network.sayDirectly(ADA, 'look', {
        attachments: [
          file('good.png', Buffer.from('picture')),
          file('shaky.png', Buffer.from('picture 2')),
          file('broken.png', Buffer.from('picture 3')),
          file('huge.png', Buffer.from('x'), 5_000_000),
          file('liar.png', Buffer.alloc(5000), 10),
          { id: '9', filename: 'local', size: 1, url: 'http://169.254.169.254/latest/meta-data' },
          { id: '9', filename: 'none', size: 1, url: 'no address' },
        ],
      });
      network.sayDirectly(ADA, '', { attachments: [file('alone.png', Buffer.from('alone'))] });
      await home.settle(channel);
      expect(media.kept.map(({ name, bytes }) => [name, String(bytes)])).toEqual([
        ['good.png', 'picture'],
        ['shaky.png', 'picture 2'],
        ['alone.png', 'alone'],
      ]);
      expect(contextOf(home, 'of a stranger')).not.toHaveProperty('MediaPath');
      expect(contextOf(home, 'look')).toMatchObject({
        MediaPath: '/media/good.png',
        MediaPaths: ['/media/good.png', '/media/shaky.png'],
        MediaTypes: ['image/png', 'image/png'],
        MediaMissing: [
          { name: 'broken.png', reason: expect.stringMatching(/could not be downloaded/) },
          { name: 'huge.png', reason: 'larger than 0 MB' },
          { name: 'liar.png', reason: 'larger than 0 MB' },
          { name: 'local', reason: expect.stringMatching(/not on a server of Discord/) },
        ],
      });
      expect(contextOf(home, '')).toMatchObject({ MediaPath: '/media/alone.png' });
      expect(network.downloads).toBe(1 + 3 + 3 + 1 + 1);
    }),
  );
});

describe('hostile input', () => {
  test(
    'neither stops the stream nor reaches anybody as a command to a terminal',
    atHome(async (home) => {
      const { network, host } = home;
      const channel = await home.connect();
      const many = Array.from({ length: 10_000 }, (_, n) => ({ id: String(n + 1001), username: `u${n}` }));
      const mentions = many.map(({ id }) => `<@${id}>`).join(' ');
      const dispatch = (d: unknown) => network.gateway.dispatch('MESSAGE_CREATE', d);
      network.sayDirectly({ ...ADA, global_name: '\u202egnp.exe\n\u0007Admin' }, 'named');
      network.sayDirectly(ADA, `\u0000\u001b[31mred\u0007\r\nline \u202ertl \ud800`);
      network.sayDirectly(ADA, `${'x'.repeat(1_000_000)}!`);
      network.sayDirectly(ADA, mentions, { mentions: many });
      for (const odd of [
        null,
        [],
        'text',
        {},
        { id: 5 },
        { id: '1', channel_id: {}, author: ADA },
        { id: '1', channel_id: '7501', author: null },
        { id: '../../x', channel_id: '7501', author: ADA, content: 'path' },
      ]) {
        dispatch(odd);
      }
      dispatch({
        id: '40',
        channel_id: '7501',
        author: ADA,
        content: { a: 1 },
        attachments: 'x',
        mentions: 5,
      });
      dispatch({ id: '41', channel_id: '7501', author: ADA, content: 'bare' });
      network.gateway.dispatch('INTERACTION_CREATE', { id: '1', type: 2, data: null });
      network.gateway.dispatch('GUILD_CREATE', { id: [], channels: [null, { id: '1' }], threads: {} });
      network.gateway.dispatch('SOMETHING_NEW', null);
      network.sayDirectly(ADA, 'after all that');
      await home.settle(channel);
      expect(contextOf(home, 'named')).toMatchObject({ SenderName: 'gnp.exeAdmin', SenderId: ADA.id });
      expect(contextOf(home, '[31mred\nline \u202ertl \ufffd')).toBeDefined();
      expect(host.taken.filter(([, , text]) => text?.length === 1_000_001)).toHaveLength(1);
      expect(
        contextOf(
          home,
          mentions.replace(/<@(\d+)>/g, (written, id) =>
            Number(id) <= 1100 ? `@u${Number(id) - 1001}` : written,
          ),
        ),
      ).toBeDefined();
      expect(contextOf(home, 'bare')).not.toHaveProperty('Timestamp');
      expect(contextOf(home, 'after all that')).toBeDefined();
      expect(host.taken).toHaveLength(6);
      expect(network.gateway.opened).toEqual(['identify']);
    }),
  );

  test(
    'that the inbox can never take is reported and passed over',
    atHome(async (home) => {
      const { network, host } = home;
      const channel = await home.connect();
      const { accept } = host;
      host.accept = async (message) => {
        if (message.ctx.RawBody === 'poison')
          throw new OpenBotError('INVALID_ARGUMENT', 'It names no sender');
        return accept(message);
      };
      const { id } = network.sayDirectly(ADA, 'poison');
      network.sayDirectly(ADA, 'next');
      await home.settle(channel);
      expect(host.taken.map(([, , text]) => text)).toEqual(['next']);
      expect(host.reports).toEqual([`Discord: message ${id} was not taken: It names no sender`]);
    }),
  );

  test('is read in time by its length', () => {
    expectLinear(100_000, (size) => {
      const content = '<@1\u0000>'.repeat(size / 4);
      readWireMessage({ id: '1', channel_id: '2', author: ADA, content, mentions: [] });
    });
  });
});
