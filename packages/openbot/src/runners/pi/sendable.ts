import type { AgentMessage } from '@earendil-works/pi-agent-core';
import type { Api, AssistantMessage, Model, ToolResultMessage } from '@earendil-works/pi-ai';
import { bindsThinking } from '@openbot/sessions/transcript';
import type { PrefixChange } from './limit-images.ts';

const BEGINNING: AgentMessage = {
  role: 'user',
  content: [{ type: 'text', text: '(The conversation begins with a message of the assistant.)' }],
  timestamp: 0,
};

type Block = Record<string, unknown> & { readonly type?: string };

/**
 * Messages of the transcript in a form that the provider of a model takes, whichever runner wrote them. What pi does itself
 * is left to it: calls without a result get one, and messages that were cut off are not sent.
 *
 * Messages that are added to a conversation do not change what is sent of those before them, except by a change that is given:
 * a model that binds thinking is not sent any that was made behind something else than it is behind now.
 */
export function makeSendable(
  messages: readonly AgentMessage[],
  model: Model<Api>,
  changes: readonly PrefixChange[] = [],
): AgentMessage[] {
  const isBound = bindsThinking(model.id);
  const isStale = (index: number) =>
    isBound && changes.some(({ from, until }) => from <= index && index < until);
  const sendable: AgentMessage[] = [];
  let open = new Set<string>();
  for (const [index, message] of messages.entries()) {
    if (message.role === 'toolResult') {
      // A result whose call is not sent, or that has been sent, is refused.
      if (open.delete(message.toolCallId)) sendable.push(withText(message));
      continue;
    }
    open = new Set();
    if (message.role !== 'assistant') {
      if (!isEmpty(message)) sendable.push(message);
      continue;
    }
    if (message.stopReason === 'aborted' || message.stopReason === 'error') continue;
    const own = withReadableThinking(message, model, isStale(index));
    if (own.content.length === 0) continue;
    open = new Set(own.content.flatMap((block) => (block.type === 'toolCall' ? [block.id] : [])));
    sendable.push(own);
  }
  // The person speaks first. A transcript may begin with what was sent to them.
  const first = sendable.findIndex(({ role }) => role !== 'system');
  return sendable[first]?.role === 'assistant' ? sendable.toSpliced(first, 0, BEGINNING) : sendable;
}

/** Thinking is signed for the model that had it, and with what came before it. */
function withReadableThinking(
  message: AssistantMessage,
  model: Model<Api>,
  isStale: boolean,
): AssistantMessage {
  const isOwn =
    message.provider === model.provider && message.api === model.api && message.model === model.id;
  const blocks: readonly Block[] = asBlocks(message.content);
  const content = blocks.flatMap((block) => {
    if (block.type === 'thinking' && (isStale || !isOwn)) return [];
    if (block.type === 'text' && String(block.text ?? '').trim() === '') return [];
    if (block.type === 'toolCall') return [{ ...block, arguments: asObject(block.arguments) }];
    return [block];
  });
  // A message of thinking alone is refused.
  const isSpoken = content.some(({ type }) => type !== 'thinking');
  return { ...message, content: (isSpoken ? content : []) as unknown as AssistantMessage['content'] };
}

function withText(message: ToolResultMessage): ToolResultMessage {
  const content = asBlocks(message.content).filter(({ type, text }) => type !== 'text' || text !== '');
  const filled = content.length === 0 ? [{ type: 'text', text: '(no output)' }] : content;
  return { ...message, content: filled as unknown as ToolResultMessage['content'] };
}

function isEmpty(message: AgentMessage): boolean {
  if (message.role !== 'user') return false;
  const blocks = asBlocks(message.content);
  return blocks.every(({ type, text }) => type === 'text' && String(text ?? '').trim() === '');
}

function asBlocks(content: unknown): readonly Block[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content : [];
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}
