import { type ChannelSetup, describeChannel, type NetworkFault } from '../contract-suite.ts';
import type { ApiFault } from './cloud-api.ts';
import { ADA, WhatsAppBench } from './whatsapp-bench.ts';

const FAULTS: Readonly<Record<NetworkFault, ApiFault>> = {
  'refuse for good': { fault: 'error', code: 131026 },
  'refuse for now': { fault: 'error', code: 131000, status: 500 },
  'too many': { fault: 'error', code: 80007, headers: { 'retry-after': '7' } },
  'lose answer': { fault: 'lose answer' },
  stall: { fault: 'stall' },
};

async function setUp(type = 'ogg'): Promise<ChannelSetup> {
  const bench = await WhatsAppBench.open();
  const written = new Map<string, string>();
  const write = async (id: string, text: string) => void (await bench.write({ id, text }));
  return {
    chat: { to: `whatsapp:+${ADA.number}`, conversationId: ADA.userId },
    makeChannel: () => bench.makeChannel(),
    write: ({ messageId, text }) => {
      written.set(messageId, text);
      return write(messageId, text);
    },
    redeliver: () => bench.api.redeliver(),
    repeat: (messageId) => write(messageId, written.get(messageId)!),
    addFault: (fault) => void bench.api.faults.push(FAULTS[fault]),
    addFaultBehind: (fault, parts) => {
      bench.api.faults.push(
        ...Array.from({ length: parts }, () => ({ fault: 'none' }) as const),
        FAULTS[fault],
      );
    },
    files: {
      urls: [bench.media.write(`a.${type}`, 'a'), bench.media.write(`b.${type}`, 'b')],
      shown: () =>
        bench.api.shown.map(({ text, mediaId = '' }) => ({
          text,
          files: [bench.api.media.get(mediaId)?.name ?? []].flat(),
        })),
    },
    goDown: async () => bench.api.goDown(),
    comeBack: async () => bench.api.goDown(false),
    makeForbiddenChannel: (accessToken) => bench.makeChannel({ accessToken }),
    refusals: {
      gone: () => void bench.api.faults.push({ fault: 'error', code: 131026 }),
      forbidden: () => void bench.api.faults.push({ fault: 'error', code: 131030 }),
    },
    reactionOn: (messageId) =>
      bench.api.shown.findLast(({ type, replyTo }) => type === 'reaction' && replyTo === messageId)?.text ||
      undefined,
    shown: () => bench.api.shown.map(({ text }) => text),
  };
}

// Of audio it shows no text, of documents it does.
describeChannel('whatsapp', () => setUp());
describeChannel('whatsapp, with documents', () => setUp('pdf'));
