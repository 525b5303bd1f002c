import { FLAG } from './entry.ts';

/** The ends of a piece of a conversation, by id. */
export interface Stretch {
  readonly head: string;
  readonly tail: string;
}

/** As much of a transcript as is needed to follow its links. */
interface Links {
  idOf(index: number): string | undefined;
  indexOf(id: string): number | undefined;
  parentOf(index: number): number;
  has(index: number, flag: number): boolean;
}

/** The ids from head to tail, following parents; undefined where no way leads from one to the other. */
export function listStretch(links: Links, { head, tail }: Stretch): string[] | undefined {
  const first = links.indexOf(head);
  const ids: string[] = [];
  const seen = new Set<number>();
  for (let at = links.indexOf(tail) ?? -1; at >= 0 && !seen.has(at); at = links.parentOf(at)) {
    seen.add(at);
    ids.push(links.idOf(at) ?? '');
    if (at === first) return ids.reverse();
    if (links.has(at, FLAG.logicalParent)) return undefined;
  }
  return undefined;
}
