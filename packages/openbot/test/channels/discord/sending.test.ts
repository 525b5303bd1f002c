import { OpenBotError } from '@openbot/sessions';
import { describe, expect, test } from 'vitest';
import type { SendRequest } from '../../../src/channels/contract.ts';
import { MemoryInboxHost } from '../memory-inbox-host.ts';
import { ADA, atHome, type DiscordHome } from './discord-home.ts';

const POSTS = { method: 'POST', path: /\/messages$/ };

function request(
  fields: Partial<SendRequest> & { readonly to?: string; readonly threadId?: string } = {},
): SendRequest {
  const { to = 'channel:20', threadId, ...rest } = fields;
  return {
    key: 'turn-1:0',
    target: { channel: 'discord', accountId: 'default', to, ...(threadId !== undefined && { threadId }) },
    payload: { text: 'Hello' },
    mayBeRepeat: false,
    sentIds: [],
    onPart: async () => {},
    allowTime: async () => {},
    signal: new AbortController().signal,
    ...rest,
  };
}

const posted = ({ network }: DiscordHome) =>
  network.calls.filter(({ method, path }) => method === 'POST' && path.endsWith('/messages'));

describe('a reply', () => {
  test(
    'goes to chats, channels and threads, pings nobody but people, and quotes',
    atHome(async (home) => {
      const { world } = home;
      const channel = await home.connect();
      await channel.send(request({ key: 'a', to: 'user:501' }));
      await channel.send(request({ key: 'b', to: 'discord:501', payload: { text: 'again' } }));
      await channel.send(request({ key: 'c', to: '<@501>', payload: { text: 'a third time' } }));
      await channel.send(request({ key: 'd', threadId: '30', payload: { text: 'in the thread' } }));
      const to = 'discord:channel:20';
      await channel.send(request({ key: 'e', to, payload: { text: '@everyone', replyToId: '55' } }));
      expect(world.shown('7501')).toEqual(['Hello', 'again', 'a third time']);
      expect(world.shown('30')).toEqual(['in the thread']);
      expect(world.shown('20')).toEqual(['@everyone']);
      expect(posted(home).at(-1)?.body).toMatchObject({
        allowed_mentions: { parse: ['users'], replied_user: true },
        message_reference: { message_id: '55', fail_if_not_exists: false },
        enforce_nonce: true,
        flags: 4,
      });
      const failure = await channel.send(request({ to: '#general' })).catch((error) => error);
      expect(failure).toMatchObject({ isPermanent: true, mayHaveArrived: false, reason: 'gone' });
    }),
  );

  test(
    'that is long is split within 2,000 characters with its code closed, and goes on behind what was sent',
    atHome(async (home) => {
      const { network, world } = home;
      const channel = await home.connect();
      const text = `Look:\n\`\`\`js\n${'let x = 1;\n'.repeat(500)}\`\`\`\nDone.`;
      const parts: string[] = [];
      const onPart = async (id: string) => {
        parts.push(id);
        // Discord has had enough in the middle.
        const does = {
          status: 429,
          headers: { 'retry-after': '9' },
          body: { message: '', retry_after: 9, global: false },
        };
        if (parts.length === 2) network.fault({ ...POSTS, does });
      };
      const failure = await channel.send(request({ payload: { text }, onPart })).catch((error) => error);
      expect(failure).toMatchObject({
        isPermanent: false,
        mayHaveArrived: false,
        retryAfterMs: 9000,
        reason: 'busy',
      });
      expect(parts).toHaveLength(2);
      const { ids } = await channel.send(request({ payload: { text }, onPart, sentIds: parts.slice(0, 2) }));
      const shown = world.shown('20');
      expect(ids).toHaveLength(shown.length);
      expect(new Set(ids).size).toBe(ids.length);
      for (const part of shown) {
        expect(part.length).toBeLessThanOrEqual(2000);
        expect((part.match(/```/g) ?? []).length % 2).toBe(0);
      }
      expect(shown.join('\n').match(/let x = 1;/g)).toHaveLength(500);
      const nonces = posted(home).map(({ body }) => String(body.nonce));
      expect(Math.max(...nonces.map((nonce) => nonce.length))).toBeLessThanOrEqual(25);
    }),
  );

  test(
    'is shown once, also when Discord has forgotten the nonce and the process is another',
    atHome(async (home) => {
      const { network, world } = home;
      const first = await home.connect();
      await first.send(request({ key: 'earlier' }));
      network.fault({ ...POSTS, does: 'lose answer' });
      await expect(first.send(request())).rejects.toMatchObject({ mayHaveArrived: true });
      await first.stop();
      world.moveTime(3_600_000);
      world.forgetNonces();
      for (let n = 0; n < 120; n++) network.say('20', ADA, `meanwhile ${n}`);
      const second = await home.connect();
      const { ids } = await second.send(request({ mayBeRepeat: true }));
      expect(world.shown('20')).toEqual(['Hello', 'Hello']);
      expect(ids).toEqual([world.messages.get('20')?.[1]?.id]);
      // One that never arrived is not taken for another one with the same words.
      network.fault({ ...POSTS, does: 'reset' });
      await expect(second.send(request({ key: 'turn-2:0' }))).rejects.toMatchObject({ mayHaveArrived: true });
      world.moveTime(3_600_000);
      await second.send(request({ key: 'turn-2:0', mayBeRepeat: true }));
      expect(world.shown('20')).toEqual(['Hello', 'Hello', 'Hello']);
    }),
  );

  test(
    'is found again in the chat, also where a file of it was left out',
    atHome(async (home) => {
      const { network, world, media } = home;
      const channel = await home.connect();
      const send = async (key: string, payload: SendRequest['payload']) => {
        network.fault({ ...POSTS, does: 'lose answer' });
        await expect(channel.send(request({ key, payload }))).rejects.toMatchObject({ mayHaveArrived: true });
        world.moveTime(3_600_000);
        world.forgetNonces();
        const { ids } = await channel.send(request({ key, payload, mayBeRepeat: true }));
        expect(ids).toEqual([world.messages.get('20')?.at(-1)?.id]);
      };
      media.refusal = new OpenBotError('MEDIA_REFUSED', 'It is not\nin the workspace');
      await send('a', { text: 'Look', mediaUrl: '/etc/passwd' });
      await send('b', { mediaUrls: ['/etc/passwd', '/etc/shadow'] });
      await send('c', { text: 'x'.repeat(1970), mediaUrl: '/etc/passwd' });
      media.refusal = undefined;
      const does = { status: 413, body: { message: 'Request entity too large', code: 40005 } };
      network.fault({ ...POSTS, does });
      await send('d', { text: 'Big', mediaUrl: '/work/big.mp4' });
      await send('e', { text: 'Small', mediaUrl: '/work/small.png' });
      expect(world.shown('20').map((text) => text.slice(0, 60))).toEqual([
        'Look\n[A file could not be sent: It is not in the workspace]',
        '[A file could not be sent: It is not in the workspace]\n[A fi',
        'x'.repeat(60),
        'Big\n[big.mp4 is too large for Discord]',
        'Small',
      ]);
    }),
  );

  test(
    'is marked where nobody can tell whether it is shown already',
    atHome(async (home) => {
      const { network, world } = home;
      const channel = await home.connect();
      const text = 'x'.repeat(1976);
      network.fault({ ...POSTS, does: 'lose answer' });
      await expect(channel.send(request({ payload: { text } }))).rejects.toMatchObject({
        mayHaveArrived: true,
      });
      // Its place is behind more than is read.
      for (const message of world.messages.get('20') ?? []) message.content = 'changed';
      for (let n = 0; n < 520; n++) network.say('20', ADA, `meanwhile ${n}`);
      await home.settle(channel);
      world.moveTime(3_600_000);
      world.forgetNonces();
      const marked = `(This may be a repeat.)\n${text}`;
      await channel.send(request({ payload: { text }, mayBeRepeat: true }));
      expect(world.shown('20').at(-1)).toBe(marked);
      // Nothing is known of an earlier try.
      await channel.send(request({ key: 'turn-9:0', mayBeRepeat: true }));
      expect(world.shown('20').at(-1)).toBe('(This may be a repeat.)\nHello');
      // None was made: the process that claimed it ended before.
      await channel.send({ ...request({ key: 'turn-10:0', mayBeRepeat: true }), createdAt: Date.now() });
      expect(world.shown('20').at(-1)).toBe('Hello');
    }),
  );

  test(
    'to a forum begins a post, once, and goes on in it',
    atHome(async (home) => {
      const { network, world } = home;
      const channel = await home.connect();
      const text = `# A title\n${'word '.repeat(900)}`;
      const { ids } = await channel.send(request({ to: 'channel:21', payload: { text } }));
      const [post = ''] = ids;
      expect(world.channels.get(post)).toMatchObject({ parent_id: '21', name: 'A title' });
      expect(world.shown(post)).toHaveLength(3);
      expect(ids).toHaveLength(3);

      Object.assign(world.channels.get(post) ?? {}, { owner_id: world.self.id });
      network.fault({ method: 'POST', path: /\/threads$/, does: 'lose answer' });
      const other = { to: 'channel:21', key: 'turn-3:0', payload: { text: 'Another one' } };
      await expect(channel.send(request(other))).rejects.toMatchObject({ mayHaveArrived: true });
      const made = [...world.channels.values()].find(({ name }) => name === 'Another one');
      Object.assign(made ?? {}, { owner_id: world.self.id });
      expect(await channel.send(request({ ...other, mayBeRepeat: true }))).toEqual({ ids: [made?.id] });
      const going = { to: 'channel:21', key: 'turn-4:0', payload: { text }, sentIds: ids.slice(0, 1) };
      await channel.send(request(going));
      expect(world.shown(post)).toHaveLength(5);
    }),
  );

  test(
    'has files with the end of its text; one that cannot be sent is said in their place',
    atHome(async (home) => {
      const { network, media, world } = home;
      const channel = await home.connect();
      const mediaUrls = Array.from({ length: 12 }, (_, n) => `/work/picture-${n}.png`);
      const { ids } = await channel.send(request({ payload: { text: 'Look', mediaUrls } }));
      expect(ids).toHaveLength(2);
      const [first, second] = world.messages.get('20') ?? [];
      expect(first).toMatchObject({ content: 'Look' });
      expect(first?.attachments).toHaveLength(10);
      expect(first?.attachments[0]).toMatchObject({ filename: 'picture-0.png', content_type: 'image/png' });
      expect(second?.attachments).toHaveLength(2);

      const does = { status: 413, body: { message: 'Request entity too large', code: 40005 } };
      network.fault({ ...POSTS, does });
      const faults: unknown[] = [];
      const onFile = (...file: unknown[]) => void faults.push(file);
      const big = { text: 'Big', mediaUrl: '/work/big.mp4' };
      await channel.send(request({ key: 'b', payload: big, onFile }));
      expect(faults.at(-1)).toEqual(['/work/big.mp4', 'It is too large for Discord']);
      expect(world.shown('20').at(-1)).toBe('Big\n[big.mp4 is too large for Discord]');
      media.refusal = new OpenBotError('MEDIA_REFUSED', 'It is not in the workspace');
      await channel.send(request({ key: 'c', payload: { mediaUrl: '/etc/passwd' } }));
      expect(world.shown('20').at(-1)).toBe('[A file could not be sent: It is not in the workspace]');
      media.refusal = new OpenBotError('MEDIA_UNREACHABLE', 'The server is down');
      // Tried three times, and then said: a chat does not wait for a file.
      home.pauses.length = 0;
      await channel.send(request({ key: 'd', payload: { text: 'Down', mediaUrl: 'https://x.example' } }));
      expect(world.shown('20').at(-1)).toBe('Down\n[A file could not be sent: The server is down]');
      expect(home.pauses).toHaveLength(2);
      expect(home.host.reports).toContain('Discord: a file was not sent: The server is down');
      expect(await channel.send(request({ key: 'e', payload: {} }))).toEqual({ ids: [] });
      const alone = request({ key: 'f', payload: { channelData: { discord: { components: [] } } } });
      await expect(channel.send(alone)).rejects.toMatchObject({ isPermanent: true, mayHaveArrived: false });

      media.refusal = undefined;
      const allowed: number[] = [];
      const allowTime = async (ms: number) => void allowed.push(ms);
      media.sendable.set('/work/big.mp4', Buffer.alloc(1_000_000));
      const payload = { text: 'Film', mediaUrls: ['/work/big.mp4', '/work/big.mp4'] };
      await channel.send(request({ key: 'f', payload, allowTime }));
      expect(allowed.at(-1)).toBe(80_000);
      const late = { key: 'g', payload: { text: 'Film', mediaUrl: '/work/big.mp4' }, skipFiles: 'too slow' };
      await channel.send(request(late));
      expect(world.shown('20').at(-1)).toBe('Film\n[A file could not be sent: too slow]');
    }),
  );

  test(
    'that asks a question has buttons with the words of its answers',
    atHome(async (home) => {
      const channel = await home.connect();
      const answers = [
        { word: 'allow q1', label: 'Allow' },
        { word: 'deny q1', label: 'Deny' },
        { word: 'x'.repeat(200), label: 'Too long' },
      ];
      const question = { id: 'q1', turnId: 't', answers };
      const silent = { ...question, answers: [] };
      await channel.send(request({ payload: { text: 'May I?', question } }));
      await channel.send(request({ key: 'b', payload: { text: 'May I?', question: silent } }));
      const [first, second] = posted(home).map(({ body }) => body.components);
      expect(first).toEqual([
        {
          type: 1,
          components: [
            { type: 2, style: 2, label: 'Allow', custom_id: 'openbot:allow q1' },
            { type: 2, style: 2, label: 'Deny', custom_id: 'openbot:deny q1' },
          ],
        },
      ]);
      expect(second).toBeUndefined();
    }),
  );

  test(
    'fails with what Discord means',
    atHome(async (home) => {
      const { network } = home;
      const channel = await home.connect();
      const failureOf = async (status: number, code: number, fields: object = {}) => {
        network.fault({ ...POSTS, does: { status, body: { message: 'No', code, ...fields } } });
        return channel.send(request()).catch((error) => error);
      };
      const tooLong = { errors: { content: { _errors: [{ code: 'BASE_TYPE_MAX_LENGTH', message: '' }] } } };
      const permanent = { isPermanent: true, mayHaveArrived: false };
      expect(await failureOf(404, 10003)).toMatchObject({ ...permanent, reason: 'gone' });
      expect(await failureOf(403, 50013)).toMatchObject({ ...permanent, reason: 'forbidden' });
      expect(await failureOf(403, 50007)).toMatchObject({ ...permanent, reason: 'forbidden' });
      expect(await failureOf(400, 50035, tooLong)).toMatchObject({ ...permanent, reason: 'too long' });
      expect(await failureOf(400, 50035)).toMatchObject({ ...permanent, reason: 'other' });
      expect(await failureOf(401, 0)).toMatchObject({ isPermanent: false, mayHaveArrived: false });
      expect(await failureOf(500, 0)).toMatchObject({ isPermanent: false, mayHaveArrived: true });
      // The token is still there after it was refused once.
      expect((await channel.send(request())).ids).toHaveLength(1);
      await channel.stop();
      const unsent = { isPermanent: false, mayHaveArrived: false };
      await expect(channel.send(request())).rejects.toMatchObject(unsent);
      home.settings = { apiRoot: 'http://127.0.0.1:9' };
      const lost = home.make();
      await lost.start(new MemoryInboxHost());
      await expect(lost.send(request())).rejects.toMatchObject(unsent);
      await lost.stop();
    }),
  );

  test(
    'can be edited, and messages get and lose reactions and signs of activity',
    atHome(async (home) => {
      const { network, world } = home;
      const channel = await home.connect();
      const { ids } = await channel.send(request());
      const [id = ''] = ids;
      const { target, signal } = request();
      await channel.edit({ target, id, text: 'Hello again', signal });
      expect(world.shown('20')).toEqual(['Hello again']);
      await expect(channel.edit({ target, id, text: 'x'.repeat(2001), signal })).rejects.toMatchObject({
        isPermanent: true,
        reason: 'too long',
      });
      const said = network.say('20', ADA, 'Look');
      await channel.react(target, said.id, '👀');
      await channel.react(target, said.id, '<:party:123>');
      expect([...world.reactions]).toEqual([`20 ${said.id} 👀`, `20 ${said.id} party:123`]);
      await channel.react(target, said.id, undefined);
      expect([...world.reactions]).toEqual([]);
      await channel.showActivity(target);
      expect(world.typing).toEqual(['20']);
    }),
  );
});

describe('settings', () => {
  test(
    'that cannot work are refused without the token in the message',
    atHome(async (home) => {
      for (const [settings, message] of [
        [{ token: undefined }, /token is missing/],
        [{ token: ' ' }, /token must be/],
        [{ token: 'tok\nen' }, /token must be the token of a bot/],
        [{ apiRoot: 'file:///x' }, /apiRoot/],
        [{ allowBots: 'some' }, /allowBots/],
        [{ suppressEmbeds: 1 }, /suppressEmbeds/],
      ] as const) {
        home.settings = settings;
        expect(() => home.make()).toThrow(message);
      }
      home.settings = { guilds: { 10: { roles: ['77'] } }, token: `Bot ${home.world.token}` };
      await home.connect();
      expect(home.host.reports).toEqual([expect.stringMatching(/guilds lets members in by their roles/)]);
    }),
  );
});
