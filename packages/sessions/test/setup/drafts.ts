import type { EntryDraft } from '../../src/exports/transcript.ts';
import { composeUserMessage } from '../../src/transcript/compose.ts';

export const user = (text: string): EntryDraft => ({
  type: 'message',
  message: composeUserMessage([{ type: 'text', text }], 1),
});

const USAGE = {
  input: 1,
  output: 2,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 3,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

export const assistant = (...content: unknown[]): EntryDraft => ({
  type: 'message',
  message: {
    role: 'assistant',
    content,
    api: 'anthropic-messages',
    provider: 'anthropic',
    model: 'm',
    usage: USAGE,
    stopReason: 'stop',
    timestamp: 2,
  },
});

export const call = (...ids: string[]): EntryDraft =>
  assistant(...ids.map((id) => ({ type: 'toolCall', id, name: 'read', arguments: { path: id } })));

export const result = (id: string, text = `result of ${id}`): EntryDraft => ({
  type: 'message',
  message: {
    role: 'toolResult',
    toolCallId: id,
    toolName: 'read',
    content: [{ type: 'text', text }],
    isError: false,
    timestamp: 3,
  },
});
