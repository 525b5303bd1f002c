/** What OpenClaw's full-text search knows of one message. */
export interface SearchText {
  readonly messageId: string;
  readonly role: 'user' | 'assistant';
  readonly text: string;
  readonly timestamp: number;
}

interface Block {
  readonly type?: unknown;
  readonly text?: unknown;
}

/** The text of a person's or an assistant's message; undefined for every other line, and where there is none. */
export function searchTextOf(event: unknown, createdAt: number): SearchText | undefined {
  const { type, id, message, timestamp } = (event ?? {}) as Record<string, unknown>;
  if (type !== 'message' || typeof id !== 'string' || id.trim() === '') return undefined;
  if (typeof message !== 'object' || message === null || Array.isArray(message)) return undefined;
  const { role } = message as { role?: unknown };
  if (role !== 'user' && role !== 'assistant') return undefined;
  const text = textOf(message);
  if (text === undefined || text === '') return undefined;
  return { messageId: id.trim(), role, text, timestamp: timeOf(timestamp) ?? createdAt };
}

/** When an event says that it happened, in milliseconds. */
export function timeOf(timestamp: unknown): number | undefined {
  const time = typeof timestamp === 'string' ? Date.parse(timestamp) : timestamp;
  return typeof time === 'number' && Number.isFinite(time) ? time : undefined;
}

function textOf(message: { content?: unknown; text?: unknown }): string | undefined {
  const { content } = message;
  if (typeof content === 'string') return content.trim();
  if (typeof message.text === 'string') return message.text.trim();
  if (!Array.isArray(content)) return undefined;
  const texts = content.flatMap((block: Block | null) => {
    const isText = typeof block === 'object' && block !== null && TEXT_BLOCKS.has(block.type);
    return isText && typeof block.text === 'string' && block.text.trim() !== '' ? [block.text] : [];
  });
  return texts.length === 0 ? undefined : texts.join('\n');
}

const TEXT_BLOCKS: ReadonlySet<unknown> = new Set(['text', 'input_text', 'output_text']);
