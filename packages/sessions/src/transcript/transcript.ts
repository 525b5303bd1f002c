import { EntryColumns, IndexOfId, ToolTable, UsageTable, Words } from './columns.ts';
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
import { ABSENT, type DialectName, type LineFacts } from './formats/dialect.ts';
import { NULL_REF } from './skim/shape.ts';
import { StringTable } from './skim/string-table.ts';

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
 * A transcript without its text: for each line where it is and what planning needs to know of it, in columns (about
 * a hundred bytes a line, its id included). Lines are entries, also those that are blank or broken, so entry `i` is
 * line `i + 1`.
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
  readonly #strings: StringTable;
  readonly #indexOfId = new IndexOfId();
  /** Whether an id appears more than once: the last line with it is what the id means. */
  #hasDuplicates = false;
  /** Entries whose parent was not known when they were read: it may come later, or never. */
  readonly #openParents: number[] = [];
  readonly #targets = new Map<number, number>();
  /** Targets that the line names by the number of an entry, not by an id. */
  readonly #targetNumbers = new Map<number, number>();
  readonly #preserved = new Map<number, readonly string[]>();
  readonly #calls = new ToolTable();
  readonly #results = new ToolTable();
  readonly #toolNames = new Words();
  readonly #usage = new UsageTable();
  #lastInTree = NO_PARENT;

  constructor(strings: StringTable = new StringTable()) {
    this.#strings = strings;
  }

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
    return this.#textOf(this.#columns.ids[index] ?? ABSENT);
  }
  /** The entry that an id means: the last one with it. */
  indexOf(id: string): number | undefined {
    const number = this.#strings.find(id);
    return number < 0 ? undefined : this.#indexOfId.get(number);
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
    return this.#textOf(this.#targets.get(index) ?? ABSENT);
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
    const calls: ToolCallRef[] = [];
    const { callStarts } = this.#columns;
    for (let row = callStarts[index]!; row < callStarts[index + 1]!; row++) {
      calls.push({
        id: this.#textOf(this.#calls.ids[row]!) ?? '',
        name: this.#toolNames.word(this.#calls.names[row]!),
        size: this.#calls.sizes[row]!,
      });
    }
    return calls;
  }
  resultCountOf(index: number): number {
    const { resultStarts } = this.#columns;
    return resultStarts[index + 1]! - resultStarts[index]!;
  }
  resultsOf(index: number): ToolResultRef[] {
    const results: ToolResultRef[] = [];
    const { resultStarts } = this.#columns;
    for (let row = resultStarts[index]!; row < resultStarts[index + 1]!; row++) {
      results.push({
        callId: this.#textOf(this.#results.ids[row]!) ?? '',
        name: this.#toolNames.word(this.#results.names[row]!) || undefined,
        size: this.#results.sizes[row]!,
        isError: this.#results.errors[row] === 1,
      });
    }
    return results;
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

  /** The id that the line names as its parent, also where no such entry exists. */
  #parentIdOf(index: number): string | null | undefined {
    const parentId = this.#columns.parentIds[index]!;
    if (this.has(index, FLAG.logicalParent) || parentId === NULL_REF) return null;
    return this.#textOf(parentId);
  }

  #textOf(id: number): string | undefined {
    return id < 0 ? undefined : this.#strings.text(id);
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
    columns.messages[index] = facts.messageId;
    const { usage } = facts;
    columns.usageRows[index] =
      usage === undefined
        ? -1
        : this.#usage.add(usage.input, usage.output, usage.cacheRead, usage.cacheWrite, usage.total);
    for (const call of facts.calls) {
      this.#calls.add(call.id, this.#toolNames.number(call.name), call.size, false);
    }
    for (const result of facts.results) {
      this.#results.add(result.callId, this.#toolNames.number(result.name), result.size, result.isError);
    }
    columns.callStarts[index + 1] = this.#calls.length;
    columns.resultStarts[index + 1] = this.#results.length;
    this.#link(index, facts);
    if (facts.target >= 0) this.#targets.set(index, facts.target);
    else if (facts.targetIndex !== undefined) this.#targetNumbers.set(index, facts.targetIndex);
    if (facts.preserved !== undefined) this.#preserved.set(index, facts.preserved);
  }

  #link(index: number, facts: LineFacts): void {
    const columns = this.#columns;
    const { id, parentId } = facts;
    columns.ids[index] = id;
    columns.parentIds[index] = parentId;
    const inTree = id >= 0 || isConversation(facts.kind);
    if (parentId >= 0) {
      const parent = this.#indexOfId.get(parentId);
      if (parent === undefined) this.#openParents.push(index);
      columns.parents[index] = parent ?? DANGLING;
    } else if (inTree && parentId === ABSENT) {
      columns.flags[index] = facts.flags | FLAG.noParentField;
      columns.parents[index] = this.#lastInTree;
    } else columns.parents[index] = NO_PARENT;
    if (inTree) this.#lastInTree = index;
    if (id < 0) return;
    const earlier = this.#indexOfId.get(id);
    if (earlier !== undefined) {
      this.#hasDuplicates = true;
      columns.flags[earlier]! |= FLAG.duplicate;
    }
    this.#indexOfId.set(id, index);
  }

  /**
   * For the builder: what is known of a line that was too long to be read. It takes its place in the tree, so that
   * what hangs from it stays in reach. To be called before `settle`.
   */
  identify(index: number, id: string, parentId: string | undefined): void {
    const columns = this.#columns;
    const number = this.#strings.internText(id);
    columns.ids[index] = number;
    const known = this.#indexOfId.get(number);
    if (known === undefined || known < index) this.#indexOfId.set(number, index);
    if (parentId !== undefined) {
      columns.parentIds[index] = this.#strings.internText(parentId);
      this.#openParents.push(index);
    } else {
      columns.flags[index]! |= FLAG.noParentField;
      let before = index - 1;
      while (before >= 0 && columns.ids[before]! < 0) before--;
      columns.parents[index] = before;
    }
    if (index > this.#lastInTree) this.#lastInTree = index;
  }

  /** For the builder: all lines are there. Settles the links that earlier lines could not. */
  settle(): void {
    const { parents, parentIds, ids } = this.#columns;
    for (const index of this.#openParents) {
      // A boundary whose logical parent was cut away is a root, as its line says.
      const missing = this.has(index, FLAG.logicalParent) ? NO_PARENT : DANGLING;
      parents[index] = this.#indexOfId.get(parentIds[index]!) ?? missing;
    }
    if (!this.#hasDuplicates) return;
    for (let i = 0; i < this.length; i++) {
      const parent = parents[i]!;
      if (parent >= 0 && ids[parent]! >= 0) parents[i] = this.#indexOfId.get(ids[parent]!) ?? parent;
    }
  }
}

/** Whether a line without an id still has its place in a linear transcript. */
function isConversation(kind: EntryKind): boolean {
  return (
    kind !== 'header' &&
    kind !== 'sidecar' &&
    kind !== 'broken' &&
    kind !== 'oversize' &&
    kind !== 'blank' &&
    kind !== 'unknown'
  );
}
