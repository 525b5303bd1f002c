import { MemoryChannel } from '../../src/channels/memory/memory-channel.ts';
import { type Fault, MemoryNetwork } from '../../src/channels/memory/memory-network.ts';
import { type ChannelSetup, describeChannel, type NetworkFault } from './contract-suite.ts';

const FAULTS: Readonly<Record<NetworkFault, Fault>> = {
  'refuse for good': { fault: 'refuse', isPermanent: true },
  'refuse for now': { fault: 'refuse' },
  'too many': { fault: 'refuse', retryAfterMs: 7000, reason: 'busy' },
  'lose answer': { fault: 'lose answer' },
  stall: { fault: 'stall' },
};

function setUp(recognisesRepeats: boolean, capabilities = {}): ChannelSetup {
  const network = new MemoryNetwork({ recognisesRepeats });
  const chat = { to: 'ada', conversationId: 'ada' };
  const written = new Map<string, string>();
  let channel = new MemoryChannel({ network, capabilities });
  const deliver = () => channel.deliver().catch(() => {});
  const write = (messageId: string, text: string) => {
    network.write({ conversationId: chat.conversationId, messageId, ctx: { RawBody: text } });
    return deliver();
  };
  return {
    chat,
    makeChannel: () => {
      channel = new MemoryChannel({ network, capabilities });
      return channel;
    },
    write: ({ messageId, text }) => {
      written.set(messageId, text);
      return write(messageId, text);
    },
    redeliver: deliver,
    repeat: (messageId) => write(messageId, written.get(messageId)!),
    addFault: (fault) => network.addFault(FAULTS[fault]),
    addFaultBehind: (fault, parts) => {
      const take = network.take.bind(network);
      network.take = (request) => {
        if (parts-- === 0) network.addFault(FAULTS[fault]);
        return take(request);
      };
    },
    refusals: {
      gone: () => network.addFault({ fault: 'refuse', isPermanent: true, reason: 'gone' }),
      forbidden: () => network.addFault({ fault: 'refuse', isPermanent: true, reason: 'forbidden' }),
      'too long': () => network.addFault({ fault: 'refuse', isPermanent: true, reason: 'too long' }),
    },
    reactionOn: (messageId) => network.reactions.get(messageId),
    shown: () => network.shown.map(({ payload }) => payload.text ?? ''),
  };
}

describeChannel('memory', async () => setUp(false));
describeChannel('memory, of a network that recognises repeats', async () => setUp(true));
describeChannel('memory, of a network that can more', async () =>
  setUp(false, { textLimit: 40, canEdit: true, canReact: true }),
);
