/** What the model is given of a conversation. */
import type { Json } from '../commands/state-folder.ts';

export interface Heard {
  readonly calls: string[];
  readonly results: string[];
  readonly texts: string[];
}

export function hearMessages(messages: readonly Json[]): Heard {
  const blocksOf = (content: Json) =>
    typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const spoken = messages.filter(({ role }) => role === 'user' || role === 'assistant');
  const blocks = spoken.flatMap(({ content }) => blocksOf(content));
  return {
    calls: blocks.flatMap(({ type, id }: Json) => (type === 'toolCall' ? [id] : [])),
    results: messages.flatMap(({ role, toolCallId }) => (role === 'toolResult' ? [toolCallId] : [])),
    texts: blocks.flatMap(({ type, text }: Json) => (type === 'text' ? [text] : [])),
  };
}
