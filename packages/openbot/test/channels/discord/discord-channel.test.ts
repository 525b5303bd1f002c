import type { Channel } from '../../../src/channels/contract.ts';
import { type ChannelSetup, describeChannel, type NetworkFault } from '../contract-suite.ts';
import { ADA, DiscordHome } from './discord-home.ts';
import type { RestFault } from './imitation/imitation.ts';

const POST = { method: 'POST', path: /\/messages$/ };

const FAULTS: Readonly<Record<NetworkFault, RestFault>> = {
  'refuse for good': {
    ...POST,
    does: { status: 403, body: { message: 'Cannot send messages to this user', code: 50007 } },
  },
  'refuse for now': {
    ...POST,
    does: {
      status: 400,
      body: { message: 'API resource is currently overloaded. Try again a little later', code: 130000 },
    },
  },
  'too many': {
    ...POST,
    does: {
      status: 429,
      headers: { 'retry-after': '7', 'x-ratelimit-scope': 'user', via: '1.1 google' },
      body: { message: 'You are being rate limited.', retry_after: 7, global: false },
    },
  },
  'lose answer': { ...POST, does: 'lose answer' },
  stall: { ...POST, does: 'stall' },
};

describeChannel('discord', async (): Promise<ChannelSetup> => {
  const home = await DiscordHome.open();
  const { network, world } = home;
  // Ten go with one message.
  const urls = Array.from({ length: 11 }, (_, n) => `/files/${n}.png`);
  const refuse = (status: number, body: object) => network.fault({ ...POST, does: { status, body } });
  let isDown = false;
  const chat = { to: `user:${ADA.id}`, conversationId: world.directChannel(ADA).id };
  let channel: Channel | undefined;
  const isUp = () => channel !== undefined && channel.health().state !== 'stopped';
  const connected = async () => {
    if (channel !== undefined && isUp()) await home.reach(channel, 'connected');
  };
  return {
    chat,
    makeChannel: () => {
      const made = home.make();
      channel = made;
      const start = made.start.bind(made);
      // For a bot that was never connected Discord keeps nothing.
      made.start = async (host) => {
        await start(host);
        if (!isDown) await home.reach(made, 'connected');
      };
      return made;
    },
    write: async ({ messageId, text }) => {
      await connected();
      network.sayDirectly(ADA, text, { id: messageId });
      await network.gateway.settled();
    },
    redeliver: async () => {
      if (channel === undefined || !isUp()) return;
      await home.settle(channel);
    },
    repeat: async (messageId) => {
      network.gateway.dispatch('MESSAGE_CREATE', world.find(chat.conversationId, messageId));
      await network.gateway.settled();
    },
    addFault: (fault) => network.fault({ ...FAULTS[fault] }),
    addFaultBehind: (fault, parts) => {
      network.fault({ ...POST, does: 'pass', times: parts });
      network.fault({ ...FAULTS[fault] });
    },
    files: {
      urls,
      shown: () =>
        (world.messages.get(chat.conversationId) ?? [])
          .filter(({ author }) => author.id === world.self.id)
          .map(({ content, attachments }) => ({
            text: content,
            files: attachments.map(({ filename }) => String(filename)),
          })),
    },
    refusals: {
      gone: () => refuse(404, { message: 'Unknown Channel', code: 10003 }),
      forbidden: () => refuse(403, { message: 'Missing Access', code: 50001 }),
      'too long': () => refuse(413, { message: 'Request entity too large', code: 40005 }),
    },
    goDown: async () => {
      isDown = true;
      network.goDown();
    },
    comeBack: async () => {
      isDown = false;
      network.goDown(false);
    },
    makeForbiddenChannel: (token) => home.make({ token }),
    reactionOn: (messageId) =>
      [...world.reactions]
        .map((one) => one.split(' '))
        .find(([channelId, id]) => channelId === chat.conversationId && id === messageId)?.[2],
    shown: () => world.shown(chat.conversationId),
    close: () => home.close(),
  };
});
