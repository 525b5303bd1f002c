import type { ClientMessage } from '../../src/agent-host/contract.ts';

export const MAIN = { agentId: 'main', sessionKey: 'agent:main:main' } as const;

export function clientMessage(
  messageId: string,
  text: string,
  more: Partial<ClientMessage> = {},
): ClientMessage {
  return { ...MAIN, messageId, text, mayCommand: true, ...more };
}
