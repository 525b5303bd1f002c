import { type ChannelSetup, describeChannel, type NetworkFault } from '../contract-suite.ts';
import type { ApiFault } from './bot-api.ts';
import type { Update } from './bot-api-updates.ts';
import { CHAT, message, SECRET, TelegramBench } from './telegram-bench.ts';

const FAULTS: Readonly<Record<NetworkFault, ApiFault>> = {
  'refuse for good': { fault: 'refuse', code: 403, description: 'Forbidden: bot was blocked by the user' },
  // A token that its owner replaces: the reply waits.
  'refuse for now': { fault: 'refuse', code: 401, description: 'Unauthorized' },
  'too many': {
    fault: 'refuse',
    code: 429,
    description: 'Too Many Requests: retry after 7',
    parameters: { retry_after: 7 },
  },
  'lose answer': { fault: 'lose answer' },
  stall: { fault: 'stall' },
};

const TOO_LONG: ApiFault = { fault: 'refuse', code: 400, description: 'Bad Request: message is too long' };

async function setUp(isWebhook: boolean): Promise<ChannelSetup> {
  const bench = await TelegramBench.make();
  const { api } = bench;
  const urls = ['/files/a.ogg', '/files/b.ogg'] as const;
  for (const url of urls) bench.media.offer(url, 'audio/ogg');
  const settings = isWebhook ? { webhookUrl: await bench.listen(), webhookSecret: SECRET } : {};
  const written = new Map<string, Update>();
  const isStopped = () => bench.channel.health().state === 'stopped';
  const isConfirmed = () => api.updates.unconfirmed.length === 0;

  const isReady = () => isStopped() || bench.channel.health().state === 'connected';
  const setup = {
    chat: { to: 'telegram:777', conversationId: '777' },
    makeChannel: () => bench.makeChannel(settings),
    write: async ({ messageId, text }: { messageId: string; text: string }) => {
      const { attempts } = bench;
      await bench.until(isReady);
      written.set(
        messageId,
        api.updates.push({ message: message(Number(messageId), { text, chat: CHAT }) })!,
      );
      await api.updates.delivering;
      // What was kept is confirmed by the next poll; before it comes again, time must pass.
      if (!isWebhook) await bench.until(() => isStopped() || isConfirmed() || bench.attempts > attempts);
    },
    redeliver: async () => {
      await bench.until(isReady);
      if (isWebhook) await api.updates.callWebhook();
      else await bench.pass(() => isStopped() || isConfirmed());
    },
    repeat: async (messageId: string) => {
      const { attempts } = bench;
      api.updates.repeat(written.get(messageId)!);
      await bench.until(() => bench.attempts > attempts);
    },
    addFault: (fault: NetworkFault) => api.addFault('send', FAULTS[fault]),
    shown: () => api.chats.shown.map(({ text }) => text),
    files: {
      urls,
      shown: () => api.chats.shown.map(({ text, file }) => ({ text, files: file ? [file.name] : [] })),
    },
    goDown: async () => api.goDown(),
    comeBack: async () => api.goDown(false),
    makeForbiddenChannel: (botToken: string) => bench.makeChannel({ ...settings, botToken }),
    refusals: {
      gone: () => api.chats.unknown.add(CHAT.id),
      forbidden: () => api.chats.blocked.add(CHAT.id),
      'too long': () => api.addFault('send', TOO_LONG),
    },
    addFaultBehind: (fault: NetworkFault, parts: number) => {
      api.addFault('send', { fault: 'none' }, parts);
      api.addFault('send', FAULTS[fault]);
    },
    // A webhook has no such request.
    untilPolled: isWebhook ? undefined : () => bench.until(() => api.updates.isPolled),
    reactionOn: (messageId: string) =>
      api.chats.reactions.findLast(({ message_id }) => `${message_id}` === messageId)?.emoji,
    passTime: (ms: number) => bench.clock.advance(ms),
  };
  return setup;
}

describeChannel('telegram, which asks for updates', () => setUp(false));
describeChannel('telegram, with a webhook', () => setUp(true));
