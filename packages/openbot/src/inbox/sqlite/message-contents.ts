import type { Arrival } from '../contract.ts';

export type MessageContent = Pick<Arrival, 'ctx' | 'wish'>;

/** What the database has of it. */
export interface ContentRow {
  readonly ctx: string;
  readonly wish: string | null;
}

interface Known {
  readonly content: MessageContent;
  readonly size: number;
  readonly version: number;
}

/** Characters that are remembered; a single message may be longer. */
const MOST_CHARACTERS = 8_000_000;

/**
 * What messages say rarely changes, and a turn asks for its messages several times: reading and parsing a long one each
 * time would be most of the turn's work. The newest ones are remembered. A caller gets a copy whose inner values are frozen.
 */
export class MessageContents {
  readonly #known = new Map<number, Known>();
  #size = 0;

  /** @param version how often it was changed */
  get(seq: number, version: number, read: () => ContentRow): MessageContent {
    const known = this.#known.get(seq);
    if (known !== undefined && known.version !== version) this.forget([seq]);
    const { ctx, wish } = this.#known.get(seq)?.content ?? this.#remember(seq, version, read());
    return { ctx: { ...ctx }, ...(wish && { wish: { ...wish } }) };
  }

  #remember(seq: number, version: number, { ctx, wish }: ContentRow): MessageContent {
    const content: MessageContent = {
      ctx: JSON.parse(ctx, freezeInside),
      ...(wish === null ? {} : { wish: JSON.parse(wish, freezeInside) }),
    };
    const size = ctx.length + 200;
    this.#known.set(seq, { content, size, version });
    this.#size += size;
    for (const [oldest, { size: freed }] of this.#known) {
      if (this.#size <= MOST_CHARACTERS || oldest === seq) break;
      this.#known.delete(oldest);
      this.#size -= freed;
    }
    return content;
  }

  /** A message that has an end is not asked for again, or rarely. */
  forget(seqs: readonly number[]): void {
    for (const seq of seqs) {
      this.#size -= this.#known.get(seq)?.size ?? 0;
      this.#known.delete(seq);
    }
  }
}

function freezeInside(this: unknown, key: string, value: unknown): unknown {
  return key === '' ? value : Object.freeze(value);
}
