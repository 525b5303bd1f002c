import { toolNameOf } from '@openbot/claude-code';
import type { Block, StopReason } from '../assistant-message.ts';
import type { RunUsage } from '../contract.ts';
import { droppedPaths } from '../dropped-thinking.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * One message of the model. Claude Code reports it twice: as the stream of the provider, and as one message for each block
 * that is whole, all with the same id and the usage repeated.
 */
export class SpokenMessage {
  readonly id: string;
  /** It was reported as a stream: the blocks come one by one. */
  readonly isStreamed: boolean;
  readonly #whole: Block[] = [];
  /** The block that is being written. */
  #open: Block | undefined;
  #usage: Fields = {};
  #stopReason: unknown;
  /** Where thinking was in the request that the provider left out of it. */
  #dropped: readonly string[];

  constructor(message: Fields, isStreamed: boolean) {
    this.id = String(message.id);
    this.isStreamed = isStreamed;
    this.#dropped = droppedPaths(message.input_transformations);
    this.#note(message.usage, message.stop_reason);
  }

  /** What an event of the stream adds; undefined where it adds no words. */
  stream(event: Fields): { readonly type: 'text' | 'thinking'; readonly delta: string } | undefined {
    const { type, delta } = event as { type?: string; delta?: Fields };
    if (type === 'content_block_start') this.#open = undefined;
    if (type === 'message_delta') {
      this.#note(event.usage, delta?.stop_reason);
      const dropped = droppedPaths(event.input_transformations);
      if (dropped.length > 0) this.#dropped = dropped;
    }
    if (type !== 'content_block_delta') return undefined;
    if (delta?.type === 'text_delta') return this.#write('text', String(delta.text));
    return delta?.type === 'thinking_delta' ? this.#write('thinking', String(delta.thinking)) : undefined;
  }

  /** Adds blocks that are whole. */
  add(content: unknown): void {
    this.#open = undefined;
    if (Array.isArray(content)) this.#whole.push(...content.flatMap(toBlock));
  }

  get blocks(): readonly Block[] {
    return this.#open === undefined ? this.#whole : [...this.#whole, this.#open];
  }

  /** The provider has said why it stopped. Claude Code ends the stream of a broken connection without that. */
  get isWhole(): boolean {
    return typeof this.#stopReason === 'string';
  }

  get dropped(): readonly string[] {
    return this.#dropped;
  }

  get stopReason(): StopReason {
    if (this.blocks.some(({ type }) => type === 'toolCall')) return 'toolUse';
    return this.#stopReason === 'max_tokens' || this.#stopReason === 'model_context_window_exceeded'
      ? 'length'
      : 'stop';
  }

  get usage(): RunUsage {
    const figure = (name: string) => {
      const value = this.#usage[name];
      return typeof value === 'number' ? value : 0;
    };
    return {
      input: figure('input_tokens'),
      output: figure('output_tokens'),
      cacheRead: figure('cache_read_input_tokens'),
      cacheWrite: figure('cache_creation_input_tokens'),
    };
  }

  #write(type: 'text' | 'thinking', delta: string) {
    if (this.#open?.type !== type) this.#open = type === 'text' ? { type, text: '' } : { type, thinking: '' };
    if (this.#open.type === 'text') this.#open.text += delta;
    else if (this.#open.type === 'thinking') this.#open.thinking += delta;
    return { type, delta };
  }

  /** Later figures are of the whole message, but an event may have only some of them. */
  #note(usage: unknown, stopReason: unknown): void {
    const given = Object.entries((usage ?? {}) as Fields).filter(([, value]) => typeof value === 'number');
    this.#usage = { ...this.#usage, ...Object.fromEntries(given) };
    this.#stopReason = stopReason ?? this.#stopReason;
  }
}

function toBlock(block: Fields): Block[] {
  const { type, text, thinking, id, name, input } = block;
  if (type === 'text') return [{ type, text: String(text) }];
  if (type === 'thinking') return [{ type, thinking: String(thinking) }];
  if (type !== 'tool_use') return [];
  return [
    {
      type: 'toolCall',
      id: String(id),
      name: toolNameOf(String(name)),
      arguments: (input ?? {}) as Readonly<Record<string, unknown>>,
    },
  ];
}
