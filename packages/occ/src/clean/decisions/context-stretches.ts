import type { Context, Turn } from '@openbot/sessions/transcript';

/** A stretch of a path, as positions in it. */
export interface Stretch {
  readonly first: number;
  /** Exclusive. */
  readonly end: number;
}

/** The turns of a path, as the model reads them. Two turns count as one if the context holds no message of a person between them. */
export class ContextStretches {
  readonly all: readonly Stretch[];
  readonly #path: readonly number[];
  /** By index: its number in the context, from 1 on; 0 if it is not in the context. */
  readonly #contextNumber: Int32Array;

  /** @param length of the transcript */
  constructor(length: number, path: readonly number[], turns: readonly Turn[], { entries }: Context) {
    this.#path = path;
    this.#contextNumber = new Int32Array(length);
    for (let number = 0; number < entries.length; number++) {
      this.#contextNumber[entries[number]!] = number + 1;
    }
    this.all = this.#joinTurns(turns);
  }

  /** Whether one of the positions of a stretch that are in the context is meant. */
  hasInContext({ first, end }: Stretch, isMeant: (position: number) => boolean): boolean {
    for (let position = first; position < end; position++) {
      if (isMeant(position) && this.#numberOf(position) > 0) return true;
    }
    return false;
  }

  /** The positions of a stretch that are in the context, in its order: a compaction comes before what it kept. */
  contextPositionsIn({ first, end }: Stretch): number[] {
    const positions: number[] = [];
    for (let position = first; position < end; position++) {
      if (this.#numberOf(position) > 0) positions.push(position);
    }
    return positions.sort((one, other) => this.#numberOf(one) - this.#numberOf(other));
  }

  #joinTurns(turns: readonly Turn[]): Stretch[] {
    const stretches: { first: number; end: number }[] = [];
    const isRead = (stretch: Stretch) => this.hasInContext(stretch, () => true);
    for (const { first, end } of turns) {
      const last = stretches.at(-1);
      const goesOn =
        last !== undefined && this.#numberOf(first) === 0 && isRead(last) && isRead({ first, end });
      if (goesOn) last.end = end;
      else stretches.push({ first, end });
    }
    return stretches;
  }

  #numberOf(position: number): number {
    return this.#contextNumber[this.#path[position]!]!;
  }
}
