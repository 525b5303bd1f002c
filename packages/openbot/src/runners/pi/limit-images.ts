import type { AgentMessage } from '@earendil-works/pi-agent-core';

/** Of a request. Providers refuse more than some 30 MB, and take fewer pixels of more than 20 images. */
export const IMAGE_LIMITS = { count: 20, characters: 20 * 1024 * 1024 } as const;

export type ImageLimits = { readonly [limit in keyof typeof IMAGE_LIMITS]: number };

const LEFT_OUT = { type: 'text', text: '[image left out]' };

/** Messages from `from` on are sent in another way than those before `until` were said behind. */
export interface PrefixChange {
  readonly from: number;
  readonly until: number;
}

export interface LimitedImages {
  /** As many as were given. Those without images are the same objects. */
  readonly messages: readonly AgentMessage[];
  readonly changes: readonly PrefixChange[];
}

interface Image {
  readonly message: number;
  readonly block: number;
  readonly characters: number;
}

/**
 * The conversation with its last images; a line is in the place of others. Where there are too many, half of what is allowed
 * stays, so that the requests after it are the same up to their end for long. Messages that are added do not change what
 * was decided before.
 * @param isRefused whether a provider refused an image up to this message
 */
export function limitImages(
  messages: readonly AgentMessage[],
  isRefused: (message: AgentMessage) => boolean = () => false,
  limits: ImageLimits = IMAGE_LIMITS,
): LimitedImages {
  const left: Image[] = [];
  const changes: PrefixChange[] = [];
  const shown: Image[] = [];
  let characters = 0;
  const refusedUntil = messages.findLastIndex(isRefused) + 1;
  for (const image of messages.flatMap(imagesOf)) {
    if (image.message < refusedUntil) {
      if (left.length === 0) changes.push({ from: image.message, until: refusedUntil });
      left.push(image);
    } else if (image.characters > limits.characters) left.push(image);
    else {
      shown.push(image);
      characters += image.characters;
      if (shown.length <= limits.count && characters <= limits.characters) continue;
      changes.push({ from: shown[0]!.message, until: image.message });
      while (shown.length > 1 && (shown.length > limits.count / 2 || characters > limits.characters / 2)) {
        characters -= shown[0]!.characters;
        left.push(shown.shift()!);
      }
    }
  }
  return { messages: replaceImages(messages, left), changes };
}

function replaceImages(messages: readonly AgentMessage[], left: readonly Image[]): readonly AgentMessage[] {
  if (left.length === 0) return messages;
  const byMessage = Map.groupBy(left, ({ message }) => message);
  return messages.map((message, index) => {
    const blocks = new Set(byMessage.get(index)?.map(({ block }) => block));
    if (blocks.size === 0) return message;
    const content = contentOf(message).map((block, place) => (blocks.has(place) ? LEFT_OUT : block));
    return { ...message, content } as AgentMessage;
  });
}

function imagesOf(message: AgentMessage, index: number): Image[] {
  return contentOf(message).flatMap((value, block) => {
    const { type, data } = (value ?? {}) as Readonly<Record<string, unknown>>;
    if (type !== 'image' || typeof data !== 'string') return [];
    return [{ message: index, block, characters: data.length }];
  });
}

export function hasImages(messages: readonly AgentMessage[]): boolean {
  return messages.some((message) => imagesOf(message, 0).length > 0);
}

function contentOf(message: AgentMessage): readonly unknown[] {
  const content = 'content' in message ? message.content : undefined;
  return Array.isArray(content) ? content : [];
}
