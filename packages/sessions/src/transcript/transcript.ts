import { BLOCK_BITS, IN_BLOCK, IndexOfId, ToolTable, UsageTable, Words } from './columns.ts';
import {
  FLAG,
  IMAGE_CHARACTERS,
  isConversation,
  type LeafState,
  ROLES,
  type TokenUsage,
  type ToolCallRef,
  type ToolResultRef,
  type TranscriptEntry,
  type TranscriptHeader,
} from './entry.ts';
import { EntryFigures, KIND_NUMBER } from './entry-figures.ts';
import { ABSENT, type DialectName, type LeafControl, type LineFacts } from './formats/dialect.ts';
import { bareEnd, LINE_FEED } from './lines.ts';
import { listStretch, type Stretch } from './list-stretch.ts';
import { NULL_REF } from './skim/shape.ts';
import { StringTable } from './skim/string-table.ts';

/** The parent of an entry that has none. */
export const NO_PARENT = -1;
/** The parent of an entry that names one which is not in the transcript. */
export const DANGLING = -2;

const ROLE_NUMBER = new Map(ROLES.map((role, number) => [role, number]));

/** A line that could not be read as the rest, by number, and why. */
export interface LineProblem {
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly problem: 'broken' | 'torn' | 'oversize';
}

/**
 * A transcript without its text: for each line where it is and what planning needs to know of it, in columns (about
 * a hundred bytes a line, its id included). Lines are entries, also those that are blank or broken, so entry `i` is
 * line `i + 1`.
 */
export class Transcript extends EntryFigures {
  dialect: DialectName | undefined;
  header: TranscriptHeader | undefined;
  /** The size of what was read. */
  byteLength = 0;
  /** Whether the last line has its line end. True for an empty transcript. */
  terminated = true;
  readonly problems: LineProblem[] = [];

  readonly #typeWords = new Words();
  readonly strings: StringTable;
  readonly #indexOfId = new IndexOfId();
  /** Whether an id appears more than once: the last line with it is what the id means. */
  #hasDuplicates = false;
  /** Entries whose parent was not known when they were read: it may come later, or never. */
  readonly #openParents: number[] = [];
  readonly #targets = new Map<number, number>();
  /** Targets that the line names by the number of an entry, not by an id. */
  readonly #targetNumbers = new Map<number, number>();
  readonly #preserved = new Map<number, readonly string[] | Stretch>();
  /** Calls and results of all entries, for those who go through all of them. */
  readonly calls = new ToolTable();
  readonly results = new ToolTable();
  readonly #usage = new UsageTable();
  #lastInTree = NO_PARENT;
  #tree: LeafState | undefined;
  /** By index of a line that moves the leaf: where to. */
  readonly controls = new Map<number, LeafControl>();
  /** By index: the number of the id to point at where the target goes. */
  readonly standIns = new Map<number, number>();
  /** By OpenClaw's rules the id that the next entry will name as its parent; null at the very beginning. */
  appendParentId: string | null = null;
  /** Whether lines name the leaf, so that the last one need not be its end. */
  hasNavigation = false;

  constructor(strings: StringTable = new StringTable()) {
    super();
    this.strings = strings;
  }

  /** Whether an id appears more than once. */
  get hasDuplicates(): boolean {
    return this.#hasDuplicates;
  }

  /** The leaf, for a transcript that is read by OpenClaw's rules. */
  get tree(): LeafState | undefined {
    return this.#tree;
  }

  /** The last line that has a place in the conversation's tree, or NO_PARENT. */
  get lastInTree(): number {
    return this.#lastInTree;
  }

  typeOf(index: number): string {
    return this.#typeWords.word(
      (this.blocks[index >> BLOCK_BITS] ?? this.columns.show(index)).types[index & IN_BLOCK]!,
    );
  }
  idOf(index: number): string | undefined {
    return this.#textOf(this.idNumberOf(index));
  }
  /** The entry that an id means: the last one with it. */
  indexOf(id: string): number | undefined {
    const number = this.strings.find(id);
    return number < 0 ? undefined : this.#indexOfId.get(number);
  }
  /** The entry that an id means, by the id's number. */
  entryOfNumber(id: number): number | undefined {
    return id < 0 ? undefined : this.#indexOfId.get(id);
  }
  /** The id of the entry that this one points at. */
  targetOf(index: number): string | undefined {
    return this.#textOf(this.#targets.get(index) ?? ABSENT);
  }
  /** The index of the entry that this one points at, where it exists. */
  targetIndexOf(index: number): number | undefined {
    const id = this.#targets.get(index);
    if (id !== undefined) return this.#indexOfId.get(id);
    const number = this.#targetNumbers.get(index);
    return number === undefined ? undefined : this.#parsedEntry(number);
  }
  /** The ids of older entries that a compaction keeps, in their order; undefined where it does not tell. */
  preservedBy(index: number): readonly string[] | undefined {
    const preserved = this.#preserved.get(index);
    return preserved === undefined || !('head' in preserved) ? preserved : listStretch(this, preserved);
  }

  callsOf(index: number): ToolCallRef[] {
    const calls: ToolCallRef[] = [];
    const from = this.firstCallOf(index);
    for (let row = from; row < from + this.callCountOf(index); row++) {
      const { name, size } = this.calls.row(row);
      calls.push({ id: this.#textOf(this.calls.idAt(row)) ?? '', name, size });
    }
    return calls;
  }
  resultsOf(index: number): ToolResultRef[] {
    const results: ToolResultRef[] = [];
    const from = this.firstResultOf(index);
    for (let row = from; row < from + this.resultCountOf(index); row++) {
      const { name, size, isError } = this.results.row(row);
      const callId = this.#textOf(this.results.idAt(row)) ?? '';
      results.push({ callId, name: name || undefined, size, isError });
    }
    return results;
  }

  /** The context that the usage of a message tells of, its reply included; 0 where there is none. */
  usageTokensOf(index: number): number {
    const row = (this.blocks[index >> BLOCK_BITS] ?? this.columns.show(index)).usageRows[index & IN_BLOCK]!;
    return row < 0 ? 0 : this.#usage.tokensAt(row);
  }
  /** Entries that point at another one, in any order. */
  *entriesWithTarget(): IterableIterator<number> {
    yield* this.#targets.keys();
    for (const index of this.#targetNumbers.keys()) if (!this.#targets.has(index)) yield index;
  }

  usageOf(index: number): TokenUsage | undefined {
    const row = (this.blocks[index >> BLOCK_BITS] ?? this.columns.show(index)).usageRows[index & IN_BLOCK]!;
    return row < 0 ? undefined : this.#usage.read(row);
  }

  entry(index: number): TranscriptEntry {
    return {
      index,
      line: index + 1,
      start: this.startOf(index),
      end: this.endOf(index),
      kind: this.kindOf(index),
      type: this.typeOf(index),
      id: this.idOf(index),
      parentId: this.parentIdOf(index),
      role: this.roleOf(index),
      flags: this.flagsOf(index),
      toolCalls: this.callsOf(index),
      toolResults: this.resultsOf(index),
      usage: this.usageOf(index),
      textSize: this.textSizeOf(index),
      thinkingSize: this.thinkingSizeOf(index),
      copySize: this.copySizeOf(index),
      imageCount: this.imageCountOf(index),
      target: this.targetOf(index),
      messageId: this.#textOf(this.messageOf(index)),
    };
  }

  *entries(): IterableIterator<TranscriptEntry> {
    for (let i = 0; i < this.length; i++) yield this.entry(i);
  }

  /** Whether the line was read as JSON. */
  isJson(index: number): boolean {
    const kind = this.kindOf(index);
    return kind !== 'broken' && kind !== 'blank' && kind !== 'oversize';
  }

  /** The n-th line that is JSON, the header being number 0: how the oldest compactions count. */
  #parsedEntry(number: number): number | undefined {
    let seen = -1;
    for (let i = 0; i < this.length; i++) {
      if (this.isJson(i) && ++seen === number) return i;
    }
    return undefined;
  }

  /** The id that the line names as its parent, also where no such entry exists; null for a root. */
  parentIdOf(index: number): string | null | undefined {
    const parentId = (this.blocks[index >> BLOCK_BITS] ?? this.columns.show(index)).parentIds[
      index & IN_BLOCK
    ]!;
    if (this.has(index, FLAG.logicalParent) || parentId === NULL_REF) return null;
    return this.#textOf(parentId);
  }

  #textOf(id: number): string | undefined {
    return id < 0 ? undefined : this.strings.text(id);
  }

  /** For the builder: one more line. */
  add(start: number, end: number, facts: LineFacts): void {
    const index = this.columns.next();
    const block = this.columns.of(index);
    const at = index & IN_BLOCK;
    block.starts[at] = start;
    block.ends[at] = end;
    const kind = KIND_NUMBER.get(facts.kind)!;
    block.kinds[at] = kind;
    this.kinds |= 1 << kind;
    this.flags |= facts.flags;
    block.roles[at] = ROLE_NUMBER.get(facts.role)!;
    block.flags[at] = facts.flags;
    block.types[at] = this.#typeWords.number(facts.type);
    block.text[at] = facts.textSize;
    block.thinking[at] = facts.thinkingSize;
    block.thoughts[at] = facts.thinkingCount;
    block.copies[at] = facts.copySize;
    block.images[at] = facts.imageCount;
    block.messages[at] = facts.messageId;
    const { usage } = facts;
    block.usageRows[at] =
      usage === undefined
        ? -1
        : this.#usage.add(usage.input, usage.output, usage.cacheRead, usage.cacheWrite, usage.total);
    block.callStarts[at] = this.calls.length;
    block.callCounts[at] = facts.calls.length;
    let characters = facts.textSize + facts.thinkingSize + facts.imageCount * IMAGE_CHARACTERS;
    for (const call of facts.calls) {
      this.calls.add(call.id, call.name, call.size, false);
      characters += call.name.length + call.size;
    }
    block.resultStarts[at] = this.results.length;
    block.resultCounts[at] = facts.results.length;
    for (const result of facts.results) {
      this.results.add(result.callId, result.name, result.size, result.isError);
      characters += result.size;
    }
    block.characters[at] = characters;
    this.#link(index, facts);
    if (facts.control !== undefined) this.controls.set(index, facts.control);
    const moves = facts.kind === 'leaf' || facts.kind === 'reset' || (facts.flags & FLAG.sideAppend) !== 0;
    if (moves) this.hasNavigation = true;
    if (facts.target >= 0) this.#targets.set(index, facts.target);
    else if (facts.targetIndex !== undefined) this.#targetNumbers.set(index, facts.targetIndex);
    if (facts.standIn >= 0) this.standIns.set(index, facts.standIn);
    if (facts.preserved !== undefined) this.#preserved.set(index, facts.preserved);
  }

  /** For the builder: blank lines, each with its line end. Whole blocks of them take little memory. */
  addBlanks(bytes: Buffer, start: number, end: number, offset: number, facts: LineFacts): void {
    const shift = offset - start;
    for (let at = start; at < end; ) {
      const behind = this.columns.addBlanks(bytes, at, end, shift);
      if (behind > at) {
        at = behind;
        continue;
      }
      const lineFeed = bytes.indexOf(LINE_FEED, at);
      this.add(at + shift, bareEnd(bytes, at, lineFeed) + shift, facts);
      at = lineFeed + 1;
    }
  }

  #link(index: number, facts: LineFacts): void {
    const block = this.columns.of(index);
    const at = index & IN_BLOCK;
    const { id, parentId } = facts;
    block.ids[at] = id;
    block.parentIds[at] = parentId;
    const inTree = id >= 0 || isConversation(facts.kind);
    if (parentId >= 0) {
      const parent = this.#indexOfId.get(parentId);
      if (parent === undefined) this.#openParents.push(index);
      block.parents[at] = parent ?? DANGLING;
    } else if (inTree && parentId === ABSENT) {
      block.flags[at] = facts.flags | FLAG.noParentField;
      block.parents[at] = this.#lastInTree;
    } else block.parents[at] = NO_PARENT;
    if (inTree) this.#lastInTree = index;
    if (id < 0) return;
    const earlier = this.#indexOfId.get(id);
    if (earlier !== undefined) {
      this.#hasDuplicates = true;
      this.#setFlag(earlier, FLAG.duplicate);
    }
    this.#indexOfId.set(id, index);
  }

  #setFlag(index: number, flag: number): void {
    (this.blocks[index >> BLOCK_BITS] ?? this.columns.show(index)).flags[index & IN_BLOCK]! |= flag;
  }

  #setParent(index: number, parent: number): void {
    (this.blocks[index >> BLOCK_BITS] ?? this.columns.show(index)).parents[index & IN_BLOCK] = parent;
  }

  /**
   * For the builder: what is known of a line that was too long to be read. It takes its place in the tree, so that
   * what hangs from it stays in reach. To be called before `settle`.
   */
  identify(index: number, id: string, parentId: string | undefined): void {
    const block = this.columns.of(index);
    const number = this.strings.internText(id);
    block.ids[index & IN_BLOCK] = number;
    const known = this.#indexOfId.get(number);
    if (known === undefined || known < index) this.#indexOfId.set(number, index);
    if (parentId !== undefined) {
      block.parentIds[index & IN_BLOCK] = this.strings.internText(parentId);
      this.#openParents.push(index);
    } else {
      this.#setFlag(index, FLAG.noParentField);
      let before = index - 1;
      while (before >= 0 && this.idNumberOf(before) < 0) before--;
      this.#setParent(index, before);
    }
    if (index > this.#lastInTree) this.#lastInTree = index;
  }

  /** For the builder, after `settle`: the parents, and the leaf. */
  adoptTree(tree: LeafState, parents: Int32Array): void {
    this.#tree = tree;
    for (let i = 0; i < parents.length; i++) this.#setParent(i, parents[i]!);
  }

  /** For the builder: all lines are there. Settles the links that earlier lines could not. */
  settle(): void {
    for (const index of this.#openParents) {
      // A boundary whose logical parent was cut away is a root, as its line says.
      const missing = this.has(index, FLAG.logicalParent) ? NO_PARENT : DANGLING;
      const parentId = (this.blocks[index >> BLOCK_BITS] ?? this.columns.show(index)).parentIds[
        index & IN_BLOCK
      ]!;
      this.#setParent(index, this.#indexOfId.get(parentId) ?? missing);
    }
    if (!this.#hasDuplicates) return;
    for (let i = 0; i < this.length; i++) {
      const parent = this.parentOf(i);
      const parentId = parent < 0 ? ABSENT : this.idNumberOf(parent);
      if (parentId >= 0) this.#setParent(i, this.#indexOfId.get(parentId) ?? parent);
    }
  }
}
