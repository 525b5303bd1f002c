import type { HistoryMessage } from './read-messages.ts';

/** A text that is cut ends with it, as in OpenClaw. */
const CUT = '\n...(truncated)...';

/** With every text of at most so many characters. */
export function cutTexts(message: HistoryMessage, maxChars: number): HistoryMessage {
  const cut = (text: string) => (text.length <= maxChars ? text : `${text.slice(0, maxChars)}${CUT}`);
  const { content } = message;
  if (typeof content === 'string') return { ...message, content: cut(content) };
  if (!Array.isArray(content)) return message;
  const blocks = content.map((block: Record<string, unknown>) => ({
    ...block,
    ...(typeof block.text === 'string' && { text: cut(block.text) }),
    ...(typeof block.thinking === 'string' && { thinking: cut(block.thinking) }),
  }));
  return { ...message, content: blocks as unknown as HistoryMessage['content'] };
}

/** What a message takes in a frame. */
export function bytesOf(message: HistoryMessage): number {
  return Buffer.byteLength(JSON.stringify(message)) + 1;
}
