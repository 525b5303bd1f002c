import type { AgentMessage } from '@earendil-works/pi-agent-core';

/** Of a request, counted from its end. Providers refuse more than some 30 MB, and take fewer pixels of more than 20 images. */
export const IMAGE_LIMITS = { count: 20, characters: 20 * 1024 * 1024 } as const;
export const NO_IMAGES = { count: 0, characters: 0 } as const;

const LEFT_OUT = { type: 'text', text: '[image left out]' };

/** The conversation with its last images; a line is in the place of others. Messages without images are the same objects. */
export function limitImages(
  messages: readonly AgentMessage[],
  limits: { readonly count: number; readonly characters: number } = IMAGE_LIMITS,
): readonly AgentMessage[] {
  let { count, characters } = limits;
  const limited = messages.toReversed().map((message) => {
    const content = 'content' in message ? message.content : undefined;
    if (!Array.isArray(content) || !content.some(isImage)) return message;
    const shown = content.toReversed().map((block) => {
      if (!isImage(block)) return block;
      count -= 1;
      characters -= block.data.length;
      return count >= 0 && characters >= 0 ? block : LEFT_OUT;
    });
    return { ...message, content: shown.reverse() } as AgentMessage;
  });
  return limited.reverse();
}

export function hasImages(messages: readonly AgentMessage[]): boolean {
  return messages.some(
    (message) => 'content' in message && Array.isArray(message.content) && message.content.some(isImage),
  );
}

function isImage(block: unknown): block is { readonly data: string } {
  const { type, data } = (block ?? {}) as Readonly<Record<string, unknown>>;
  return type === 'image' && typeof data === 'string';
}
