import type { OutboundMessage } from '../../src/outbox/contract.ts';

export function outbound(key: string, to = '42', fields: Partial<OutboundMessage> = {}): OutboundMessage {
  return {
    key,
    agentId: 'main',
    sessionKey: 'agent:main:telegram:dm:42',
    turnId: key.split(':')[0]!,
    target: { channel: 'telegram', accountId: 'default', to },
    payload: { text: `text of ${key}` },
    createdAt: 100,
    ...fields,
  };
}
