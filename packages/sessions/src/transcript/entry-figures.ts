import { BLOCK_BITS, EntryColumns, IN_BLOCK } from './columns.ts';
import { type EntryKind, type EntryRole, KINDS, ROLES } from './entry.ts';
import { ABSENT } from './formats/dialect.ts';

export const KIND_NUMBER = new Map(KINDS.map((kind, number) => [kind, number]));

/**
 * What the columns say of each entry. Every function looks for the block by itself: planning asks for half a million
 * figures before V8 has compiled much, and a call more for each would be a good part of its time.
 */
export class EntryFigures {
  protected readonly columns = new EntryColumns();
  protected readonly blocks = this.columns.blocks;
  /** A bit for each kind that a line is of, and the flags of all lines. */
  protected kinds = 0;
  protected flags = 0;

  get length(): number {
    return this.columns.length;
  }

  /** The first line from one on that is in no block of blank lines: there may be millions of these. */
  behindBlanks(index: number): number {
    let block = index >> BLOCK_BITS;
    if (this.blocks[block] !== undefined) return index;
    while (block < this.blocks.length && this.blocks[block] === undefined) block++;
    return Math.min(block << BLOCK_BITS, this.length);
  }

  /** Whether any line is of a kind. */
  hasKind(kind: EntryKind): boolean {
    return (this.kinds & (1 << KIND_NUMBER.get(kind)!)) !== 0;
  }

  /** Whether any line was read with one of these flags. */
  hasFlag(flags: number): boolean {
    return (this.flags & flags) !== 0;
  }

  startOf(index: number): number {
    return (this.blocks[index >> BLOCK_BITS] ?? this.columns.show(index)).starts[index & IN_BLOCK]!;
  }
  endOf(index: number): number {
    return (this.blocks[index >> BLOCK_BITS] ?? this.columns.show(index)).ends[index & IN_BLOCK]!;
  }
  kindOf(index: number): EntryKind {
    return KINDS[(this.blocks[index >> BLOCK_BITS] ?? this.columns.show(index)).kinds[index & IN_BLOCK]!]!;
  }
  roleOf(index: number): EntryRole {
    return ROLES[(this.blocks[index >> BLOCK_BITS] ?? this.columns.show(index)).roles[index & IN_BLOCK]!]!;
  }
  flagsOf(index: number): number {
    return (this.blocks[index >> BLOCK_BITS] ?? this.columns.show(index)).flags[index & IN_BLOCK]!;
  }
  has(index: number, flag: number): boolean {
    return (
      ((this.blocks[index >> BLOCK_BITS] ?? this.columns.show(index)).flags[index & IN_BLOCK]! & flag) !== 0
    );
  }
  /** An id as a number, the same for the same id: ABSENT where the line has none. */
  idNumberOf(index: number): number {
    return (this.blocks[index >> BLOCK_BITS] ?? this.columns.show(index)).ids[index & IN_BLOCK] ?? ABSENT;
  }
  /** The parent that the line names, as a number: NULL_REF for a root, ABSENT where it names none. */
  parentNumberOf(index: number): number {
    return (this.blocks[index >> BLOCK_BITS] ?? this.columns.show(index)).parentIds[index & IN_BLOCK]!;
  }
  /** The parent's index, NO_PARENT or DANGLING. */
  parentOf(index: number): number {
    return (this.blocks[index >> BLOCK_BITS] ?? this.columns.show(index)).parents[index & IN_BLOCK]!;
  }
  textSizeOf(index: number): number {
    return (this.blocks[index >> BLOCK_BITS] ?? this.columns.show(index)).text[index & IN_BLOCK]!;
  }
  thinkingSizeOf(index: number): number {
    return (this.blocks[index >> BLOCK_BITS] ?? this.columns.show(index)).thinking[index & IN_BLOCK]!;
  }
  thinkingCountOf(index: number): number {
    return (this.blocks[index >> BLOCK_BITS] ?? this.columns.show(index)).thoughts[index & IN_BLOCK]!;
  }
  copySizeOf(index: number): number {
    return (this.blocks[index >> BLOCK_BITS] ?? this.columns.show(index)).copies[index & IN_BLOCK]!;
  }
  imageCountOf(index: number): number {
    return (this.blocks[index >> BLOCK_BITS] ?? this.columns.show(index)).images[index & IN_BLOCK]!;
  }
  /** What an entry gives to the model where it is part of the context: text, thinking, calls, results and images. */
  charactersOf(index: number): number {
    return (this.blocks[index >> BLOCK_BITS] ?? this.columns.show(index)).characters[index & IN_BLOCK]!;
  }
  /** A number shared by the lines of one message, or -1. */
  messageOf(index: number): number {
    return (this.blocks[index >> BLOCK_BITS] ?? this.columns.show(index)).messages[index & IN_BLOCK]!;
  }
  callCountOf(index: number): number {
    return (this.blocks[index >> BLOCK_BITS] ?? this.columns.show(index)).callCounts[index & IN_BLOCK]!;
  }
  resultCountOf(index: number): number {
    return (this.blocks[index >> BLOCK_BITS] ?? this.columns.show(index)).resultCounts[index & IN_BLOCK]!;
  }
  /** The number of an entry's first call in `calls`. */
  firstCallOf(index: number): number {
    return (this.blocks[index >> BLOCK_BITS] ?? this.columns.show(index)).callStarts[index & IN_BLOCK]!;
  }
  /** The number of an entry's first result in `results`. */
  firstResultOf(index: number): number {
    return (this.blocks[index >> BLOCK_BITS] ?? this.columns.show(index)).resultStarts[index & IN_BLOCK]!;
  }
}
