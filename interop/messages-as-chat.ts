/** A request of the Messages API in the words of chat completions, so that scenarios read what was heard in one way. */
import type { ChatMessage, ChatRequest, ChatToolCall } from '../test/imitations/chat-format.ts';
import {
  type ApiMessage,
  blocksOf,
  type ContentBlock,
  type MessagesRequest,
} from '../test/imitations/messages-format.ts';

export function asChatRequest(request: MessagesRequest): ChatRequest {
  return {
    model: request.model,
    messages: request.messages.flatMap(asChatMessages),
    tools: (request.tools ?? []).map(({ name }) => ({ function: { name } })),
  };
}

/** What the model is shown of its own earlier thinking, in order. */
export function thoughtsIn(request: MessagesRequest): string[] {
  return request.messages.flatMap((message) =>
    blocksOf(message).flatMap((block) => (block.type === 'thinking' ? [block.thinking] : [])),
  );
}

function asChatMessages(message: ApiMessage): ChatMessage[] {
  const blocks = blocksOf(message);
  const content = textParts(blocks);
  if (message.role !== 'user') {
    const tool_calls = blocks.flatMap(asToolCall);
    return [{ role: message.role, content, ...(tool_calls.length > 0 && { tool_calls }) }];
  }
  const results = blocks.flatMap(asToolMessage);
  return content.length === 0 ? results : [...results, { role: 'user', content }];
}

function asToolCall(block: ContentBlock): ChatToolCall[] {
  if (block.type !== 'tool_use') return [];
  const { id, name, input } = block;
  return [{ id, type: 'function', function: { name, arguments: JSON.stringify(input) } }];
}

function asToolMessage(block: ContentBlock): ChatMessage[] {
  if (block.type !== 'tool_result') return [];
  const { tool_use_id, content = '' } = block;
  return [
    {
      role: 'tool',
      tool_call_id: tool_use_id,
      content: typeof content === 'string' ? content : textParts(content),
    },
  ];
}

function textParts(blocks: readonly ContentBlock[]): { type: 'text'; text: string }[] {
  return blocks.flatMap((block) => (block.type === 'text' ? [{ type: 'text', text: block.text }] : []));
}
