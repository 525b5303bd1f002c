const SLOTS = 1024;
export const MAX_REMEMBERED = 64;

/**
 * Gives the same string for the same bytes while it is remembered. Types, roles, tool names and ids repeat from
 * line to line (a parent id is the id of the line before), so most strings are found here instead of made again,
 * and are held once.
 */
export class RecentStrings {
  readonly #strings = new Array<string>(SLOTS).fill('');

  /** @param end at most MAX_REMEMBERED after `start`, ASCII only */
  take(bytes: Buffer, start: number, end: number): string {
    let hash = end - start;
    for (let i = start; i < end; i++) hash = (Math.imul(hash, 31) + bytes[i]!) | 0;
    const slot = (hash ^ (hash >>> 10)) & (SLOTS - 1);
    const known = this.#strings[slot]!;
    if (known.length === end - start) {
      let i = 0;
      while (i < known.length && known.charCodeAt(i) === bytes[start + i]) i++;
      if (i === known.length) return known;
    }
    const made = bytes.toString('latin1', start, end);
    this.#strings[slot] = made;
    return made;
  }
}
