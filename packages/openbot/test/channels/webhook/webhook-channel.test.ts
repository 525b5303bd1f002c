import { type ChannelSetup, describeChannel, type NetworkFault } from '../contract-suite.ts';
import { type ReceiverFault, WebhookBench } from './webhook-bench.ts';

const FAULTS: Readonly<Record<NetworkFault, ReceiverFault>> = {
  'refuse for good': { status: 422, body: '{"error":"no such room"}' },
  'refuse for now': { status: 503 },
  'too many': { status: 429, headers: { 'retry-after': '7' } },
  'lose answer': 'lose answer',
  stall: 'stall',
};

async function setUp(recognisesRepeats: boolean): Promise<ChannelSetup> {
  const bench = await WebhookBench.open({ recognisesRepeats });
  const written = new Map<string, string>();
  const write = async (id: string, text: string) =>
    void (await bench.post({ id, sender: { id: 'ada' }, text }));
  return {
    chat: { to: 'webhook:ada', conversationId: 'ada' },
    makeChannel: () => bench.makeChannel({ textLimit: 300 }),
    write: ({ messageId, text }) => {
      written.set(messageId, text);
      return write(messageId, text);
    },
    redeliver: () => bench.redeliver(),
    repeat: (messageId) => write(messageId, written.get(messageId)!),
    addFault: (fault) => void bench.faults.push(FAULTS[fault]),
    goDown: async () => bench.goDown(),
    comeBack: async () => bench.goDown(false),
    makeForbiddenChannel: (secret) => bench.makeChannel({ secret }),
    addFaultBehind: (fault, parts) => {
      bench.faults.push(...Array.from({ length: parts }, () => 'none' as const), FAULTS[fault]);
    },
    refusals: {
      gone: () => void bench.faults.push({ status: 410 }),
      forbidden: () => void bench.faults.push({ status: 403 }),
      'too long': () => void bench.faults.push({ status: 413 }),
    },
    shown: () => bench.shown.map(({ text }) => String(text)),
  };
}

describeChannel('webhook', () => setUp(false));
describeChannel('webhook, of a receiver that recognises repeats', () => setUp(true));
