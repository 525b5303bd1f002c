import { EntryColumns, UsageTable, Words } from './columns.ts';
import {
  type EntryKind,
  type EntryRole,
  FLAG,
  KINDS,
  ROLES,
  type TokenUsage,
  type ToolCallRef,
  type ToolResultRef,
  type TranscriptEntry,
  type TranscriptHeader,
} from './entry.ts';
import type { DialectName, LineFacts } from './formats/dialect.ts';

/** The parent of an entry that has none. */
export const NO_PARENT = -1;
/** The parent of an entry that names one which is not in the transcript. */
export const DANGLING = -2;

const KIND_NUMBER = new Map(KINDS.map((kind, number) => [kind, number]));
const ROLE_NUMBER = new Map(ROLES.map((role, number) => [role, number]));

/** A line that could not be read as the rest, by number, and why. */
export interface LineProblem {
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly problem: 'broken' | 'torn' | 'oversize';
}

/**
 * A transcript without its text: for each line where it is and what planning needs to know of it, in columns (about a hundred bytes a
 * line, its id included). Lines are entries, also those that are blank or broken, so entry `i` is line `i + 1`.
 */
export class Transcript {
  dialect: DialectName | undefined;
  header: TranscriptHeader | undefined;
  /** The size of what was read. */
  byteLength = 0;
  /** Whether the last line has its line end. True for an empty transcript. */
  terminated = true;
  readonly problems: LineProblem[] = [];

  readonly #columns = new EntryColumns();
  readonly #typeWords = new Words();
  readonly #ids: (string | undefined)[] = [];
  readonly #indexOfId = new Map<string, number>();
  /** Later lines with an id that an earlier one has: the later one is what the id means. */
  readonly #replacedBy = new Map<number, number>();
  /** Parents that were not known when their child was read: they may come later, or never. */
  readonly #openParents = new Map<number, string>();
  readonly #targets = new Map<number, string>();
  /** Targets that the line names by the number of an entry, not by an id. */
  readonly #targetNumbers = new Map<number, number>();
  readonly #preserved = new Map<number, readonly string[]>();
  readonly #calls: ToolCallRef[] = [];
  readonly #results: ToolResultRef[] = [];
  readonly #usage = new UsageTable();
  readonly #messageWords = new Words();
  #lastInTree = NO_PARENT;

  get length(): number {
    return this.#columns.length;
  }

  /** The last line that has a place in the conversation's tree, or NO_PARENT. */
  get lastInTree(): number {
    return this.#lastInTree;
  }

  startOf(index: number): number {
    return this.#columns.starts[index]!;
  }
  endOf(index: number): number {
    return this.#columns.ends[index]!;
  }
  kindOf(index: number): EntryKind {
    return KINDS[this.#columns.kinds[index]!]!;
  }
  roleOf(index: number): EntryRole {
    return ROLES[this.#columns.roles[index]!]!;
  }
  typeOf(index: number): string {
    return this.#typeWords.word(this.#columns.types[index]!);
  }
  flagsOf(index: number): number {
    return this.#columns.flags[index]!;
  }
  has(index: number, flag: number): boolean {
    return (this.#columns.flags[index]! & flag) !== 0;
  }
  idOf(index: number): string | undefined {
    return this.#ids[index];
  }
  /** The entry that an id means: the last one with it. */
  indexOf(id: string): number | undefined {
    return this.#indexOfId.get(id);
  }
  /** The parent's index, NO_PARENT or DANGLING. */
  parentOf(index: number): number {
    return this.#columns.parents[index]!;
  }
  textSizeOf(index: number): number {
    return this.#columns.text[index]!;
  }
  thinkingSizeOf(index: number): number {
    return this.#columns.thinking[index]!;
  }
  copySizeOf(index: number): number {
    return this.#columns.copies[index]!;
  }
  imageCountOf(index: number): number {
    return this.#columns.images[index]!;
  }
  /** The id of the entry that this one points at. */
  targetOf(index: number): string | undefined {
    return this.#targets.get(index);
  }
  /** The index of the entry that this one points at, where it exists. */
  targetIndexOf(index: number): number | undefined {
    const id = this.#targets.get(index);
    if (id !== undefined) return this.#indexOfId.get(id);
    const number = this.#targetNumbers.get(index);
    return number === undefined ? undefined : this.#parsedEntry(number);
  }
  /** The ids of older entries that a compaction keeps. */
  preservedBy(index: number): readonly string[] {
    return this.#preserved.get(index) ?? [];
  }
  /** A number shared by the lines of one message, or -1. */
  messageOf(index: number): number {
    return this.#columns.messages[index]!;
  }

  callCountOf(index: number): number {
    const { callStarts } = this.#columns;
    return callStarts[index + 1]! - callStarts[index]!;
  }
  callsOf(index: number): ToolCallRef[] {
    const { callStarts } = this.#columns;
    return this.#calls.slice(callStarts[index], callStarts[index + 1]);
  }
  resultCountOf(index: number): number {
    const { resultStarts } = this.#columns;
    return resultStarts[index + 1]! - resultStarts[index]!;
  }
  resultsOf(index: number): ToolResultRef[] {
    const { resultStarts } = this.#columns;
    return this.#results.slice(resultStarts[index], resultStarts[index + 1]);
  }

  usageOf(index: number): TokenUsage | undefined {
    const row = this.#columns.usageRows[index]!;
    if (row < 0) return undefined;
    return {
      input: this.#usage.figure(row, 0),
      output: this.#usage.figure(row, 1),
      cacheRead: this.#usage.figure(row, 2),
      cacheWrite: this.#usage.figure(row, 3),
      total: this.#usage.figure(row, 4),
    };
  }

  entry(index: number): TranscriptEntry {
    const message = this.messageOf(index);
    return {
      index,
      line: index + 1,
      start: this.startOf(index),
      end: this.endOf(index),
      kind: this.kindOf(index),
      type: this.typeOf(index),
      id: this.idOf(index),
      parentId: this.#parentIdOf(index),
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
      messageId: message < 0 ? undefined : this.#messageWords.word(message),
    };
  }

  *entries(): IterableIterator<TranscriptEntry> {
    for (let i = 0; i < this.length; i++) yield this.entry(i);
  }

  /** The n-th line that is JSON, the header being number 0: how the oldest compactions count. */
  #parsedEntry(number: number): number | undefined {
    let seen = -1;
    for (let i = 0; i < this.length; i++) {
      const kind = this.kindOf(i);
      if (kind !== 'broken' && kind !== 'blank' && kind !== 'oversize' && ++seen === number) return i;
    }
    return undefined;
  }

  /** The id that the line names as its parent, also where no such entry exists. */
  #parentIdOf(index: number): string | null | undefined {
    if (this.has(index, FLAG.noParentField)) return undefined;
    const parent = this.parentOf(index);
    if (parent >= 0) return this.#ids[parent];
    if (parent === DANGLING) return this.#openParents.get(index);
    return this.#ids[index] === undefined ? undefined : null;
  }

  /** For the builder: one more line. */
  add(start: number, end: number, facts: LineFacts): void {
    const columns = this.#columns;
    const index = columns.next();
    columns.starts[index] = start;
    columns.ends[index] = end;
    columns.kinds[index] = KIND_NUMBER.get(facts.kind)!;
    columns.roles[index] = ROLE_NUMBER.get(facts.role)!;
    columns.flags[index] = facts.flags;
    columns.types[index] = this.#typeWords.number(facts.type);
    columns.text[index] = facts.textSize;
    columns.thinking[index] = facts.thinkingSize;
    columns.copies[index] = facts.copySize;
    columns.images[index] = facts.imageCount;
    columns.messages[index] = facts.messageId === undefined ? -1 : this.#messageWords.number(facts.messageId);
    const { usage } = facts;
    columns.usageRows[index] =
      usage === undefined
        ? -1
        : this.#usage.add(usage.input, usage.output, usage.cacheRead, usage.cacheWrite, usage.total);
    for (const call of facts.calls) this.#calls.push(call);
    for (const result of facts.results) this.#results.push(result);
    columns.callStarts[index + 1] = this.#calls.length;
    columns.resultStarts[index + 1] = this.#results.length;
    this.#link(index, facts);
    if (facts.target !== undefined) this.#targets.set(index, facts.target);
    else if (facts.targetIndex !== undefined) this.#targetNumbers.set(index, facts.targetIndex);
    if (facts.preserved !== undefined) this.#preserved.set(index, facts.preserved);
  }

  #link(index: number, facts: LineFacts): void {
    const columns = this.#columns;
    const { id, parentId, kind } = facts;
    this.#ids.push(id);
    const inTree = id !== undefined || (kind !== 'header' && isConversation(kind));
    if (typeof parentId === 'string') {
      const parent = this.#indexOfId.get(parentId);
      if (parent === undefined) this.#openParents.set(index, parentId);
      columns.parents[index] = parent ?? DANGLING;
    } else if (inTree && parentId === undefined) {
      columns.flags[index] = facts.flags | FLAG.noParentField;
      columns.parents[index] = this.#lastInTree;
    } else columns.parents[index] = NO_PARENT;
    if (inTree) this.#lastInTree = index;
    if (id === undefined) return;
    const earlier = this.#indexOfId.get(id);
    if (earlier !== undefined) {
      this.#replacedBy.set(earlier, index);
      columns.flags[earlier]! |= FLAG.duplicate;
    }
    this.#indexOfId.set(id, index);
  }

  /** For the builder: all lines are there. Settles the links that earlier lines could not. */
  settle(): void {
    for (const [index, parentId] of this.#openParents) {
      const parent = this.#indexOfId.get(parentId);
      if (parent === undefined) continue;
      this.#columns.parents[index] = parent;
      this.#openParents.delete(index);
    }
    if (this.#replacedBy.size === 0) return;
    for (let i = 0; i < this.length; i++) {
      let parent = this.#columns.parents[i]!;
      while (this.#replacedBy.has(parent)) parent = this.#replacedBy.get(parent)!;
      this.#columns.parents[i] = parent;
    }
  }
}

/** Whether a line without an id still has its place in a linear transcript. */
function isConversation(kind: EntryKind): boolean {
  return (
    kind !== 'sidecar' && kind !== 'broken' && kind !== 'oversize' && kind !== 'blank' && kind !== 'unknown'
  );
}
