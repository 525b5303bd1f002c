import { type EntryKind, type EntryRole, FLAG, type TokenUsage, type TranscriptHeader } from '../entry.ts';
import type { Stretch } from '../list-stretch.ts';
import type { Shape, SkimmedLine } from '../skim/shape.ts';

export type DialectName = 'openclaw' | 'claude-code';

/** Where a line has no such id. */
export const ABSENT = -2;

/**
 * What a dialect reads from one line. One object is cleared and filled again and again. Ids are numbers in the
 * table of strings, NULL_REF or ABSENT.
 */
export interface LineFacts {
  kind: EntryKind;
  type: string;
  role: EntryRole;
  id: number;
  parentId: number;
  flags: number;
  textSize: number;
  thinkingSize: number;
  thinkingCount: number;
  copySize: number;
  imageCount: number;
  target: number;
  /** The entry to point at instead, where the target goes. */
  standIn: number;
  /** For the oldest compactions, which name the first kept line by its number. */
  targetIndex: number | undefined;
  /** Only of a line that moves the leaf. */
  control: LeafControl | undefined;
  messageId: number;
  usage: TokenUsage | undefined;
  /** Entries that a compaction keeps although they are older: a list of them, or the ends of a stretch. */
  preserved: readonly string[] | Stretch | undefined;
  readonly calls: CallFacts[];
  readonly results: ResultFacts[];
}

/** Where a line of OpenClaw's moves the leaf to. Ids are numbers in the table of strings, NULL_REF or ABSENT. */
export interface LeafControl {
  readonly target: number;
  /** What the next entry names as its parent, where that is not the target. */
  readonly appendParent: number;
}

interface CallFacts {
  id: number;
  name: string;
  size: number;
}

interface ResultFacts {
  callId: number;
  name: string;
  size: number;
  isError: boolean;
}

/** One way of writing transcripts. */
export interface Dialect {
  readonly name: DialectName;
  readonly shape: Shape;
  /** The top-level fields that hold an entry's id and its parent's. */
  readonly linkFields: { readonly id: string; readonly parentId: string };
  read(line: SkimmedLine, facts: LineFacts): void;
  /** What the line says of the whole transcript, if anything. Called after `read`, until a line has said enough. */
  describe(line: SkimmedLine, facts: LineFacts): TranscriptHeader | undefined;
}

export function emptyLineFacts(): LineFacts {
  return {
    kind: 'unknown',
    type: '',
    role: 'none',
    id: ABSENT,
    parentId: ABSENT,
    flags: 0,
    textSize: 0,
    thinkingSize: 0,
    thinkingCount: 0,
    copySize: 0,
    imageCount: 0,
    target: ABSENT,
    standIn: ABSENT,
    targetIndex: undefined,
    control: undefined,
    messageId: ABSENT,
    usage: undefined,
    preserved: undefined,
    calls: [],
    results: [],
  };
}

export function clearLineFacts(facts: LineFacts): void {
  facts.kind = 'unknown';
  facts.type = '';
  facts.role = 'none';
  facts.id = ABSENT;
  facts.parentId = ABSENT;
  facts.flags = 0;
  facts.textSize = 0;
  facts.thinkingSize = 0;
  facts.thinkingCount = 0;
  facts.copySize = 0;
  facts.imageCount = 0;
  facts.target = ABSENT;
  facts.standIn = ABSENT;
  facts.targetIndex = undefined;
  facts.control = undefined;
  facts.messageId = ABSENT;
  facts.usage = undefined;
  facts.preserved = undefined;
  facts.calls.length = 0;
  facts.results.length = 0;
}

export function addCall(facts: LineFacts, id: unknown, name: unknown, size: number): void {
  facts.calls.push({ id: asRef(id), name: asText(name) ?? '', size });
}

export function addResult(
  facts: LineFacts,
  callId: unknown,
  name: string,
  size: number,
  isError: boolean,
): void {
  facts.results.push({ callId: asRef(callId), name, size, isError });
}

/** A block of thinking, in the order of the blocks. Empty text is not sent. */
export function noteThinking(facts: LineFacts, isBehindText: boolean): void {
  const { flags, calls, imageCount } = facts;
  const isFirst =
    (flags & (FLAG.thinking | FLAG.otherContent)) === 0 &&
    !isBehindText &&
    calls.length === 0 &&
    imageCount === 0;
  facts.thinkingCount++;
  facts.flags |= isFirst ? FLAG.thinking | FLAG.beginsWithThinking : FLAG.thinking;
  if (calls.length > 0) facts.flags |= FLAG.thinksBehindCall;
}

/** The number of an id, where the line has one. */
export function asRef(value: unknown): number {
  return typeof value === 'number' && value >= 0 ? value : ABSENT;
}

export function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function asNumber(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

/** The mark on figures that we computed and wrote into a transcript: they are never again taken for recorded ones. */
export const ESTIMATED_BY = 'openbot';
