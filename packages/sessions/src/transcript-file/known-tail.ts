import type { BigIntStats } from 'node:fs';
import type { Tail } from './tail.ts';

type FileState = Pick<BigIntStats, 'dev' | 'ino' | 'size' | 'ctimeNs'>;

/** The end of a transcript as this process left it. A file that anyone changed since has another size or time. */
export class KnownTail {
  #left: { readonly file: FileState; readonly tail: Tail } | undefined;

  /** Undefined for a file that is to be read. */
  of(now: FileState): Tail | undefined {
    const { file, tail } = this.#left ?? {};
    const isAsLeft =
      file?.size === now.size && file.ctimeNs === now.ctimeNs && file.ino === now.ino && file.dev === now.dev;
    return isAsLeft ? tail : undefined;
  }

  /** `now` is what the file is like after whole lines were appended, the last one with this id. */
  leave({ dev, ino, size, ctimeNs }: FileState, leafId: string | null | undefined, linear: boolean): void {
    this.#left = {
      file: { dev, ino, size, ctimeNs },
      tail: { state: 'whole', openBytes: 0, leafId, linear },
    };
  }
}
