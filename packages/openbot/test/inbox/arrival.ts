import type { Arrival } from '../../src/inbox/contract.ts';

export function arrival(messageId: string, fields: Partial<Arrival> = {}): Arrival {
  return {
    identity: { channel: 'telegram', accountId: 'default', conversationId: '42', messageId },
    agentId: 'main',
    sessionKey: 'agent:main:telegram:dm:42',
    ctx: { Body: `text of ${messageId}`, From: '42', MessageSid: messageId },
    receivedAt: 1000,
    ...fields,
  };
}
