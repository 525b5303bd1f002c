import { activePath } from '@openbot/sessions';
import { type Context, contextOf } from '@openbot/sessions/transcript';
import { COPIES } from '../clean/line-edit.ts';
import type { SessionLines } from '../storage/contract/rewriting.ts';

/** What the model is given of a state. */
export interface GivenLines extends SessionLines {
  readonly context: Context;
}

/** @param leaf of another branch */
export function giveLines(lines: SessionLines, leaf?: number): GivenLines {
  const { transcript } = lines;
  return { ...lines, context: contextOf(transcript, activePath(transcript, leaf).entries) };
}

/** How many entries of what the model is given are the same in two states, from the beginning on. */
export function countSame(one: GivenLines, other: GivenLines): number {
  const length = Math.min(one.context.entries.length, other.context.entries.length);
  let same = 0;
  while (same < length && isSameAt(one, other, same)) same++;
  return same;
}

/** Most lines are the same byte for byte. */
function isSameAt(one: GivenLines, other: GivenLines, place: number): boolean {
  const [a, b] = [one.context.entries[place]!, other.context.entries[place]!];
  const isEdited = one.context.edits.has(a) || other.context.edits.has(b);
  if (!isEdited && one.readLine(a) === other.readLine(b)) return true;
  return readGiven(one, place) === readGiven(other, place);
}

/** What a line gives to the model, and which one it is. Its place in the file and what was counted are not part of it. */
function readGiven({ transcript, readLine, context }: GivenLines, place: number): string {
  const index = context.entries[place]!;
  const edit = context.edits.get(index);
  const text = [index, ...(edit === undefined ? [] : [edit])].map((at) => {
    const line = readLine(at);
    const value = parseLine(line);
    if (value === undefined) return line;
    const { message } = value;
    return JSON.stringify({ ...value, ...(isObject(message) && { message: withoutCopies(message) }) });
  });
  return `${transcript.idOf(index) ?? ''} ${text.join(' ')}`;
}

type Json = Readonly<Record<string, unknown>>;

/** Links that a rewrite changes. */
const LEFT_OUT = {
  parentId: undefined,
  parentUuid: undefined,
  logicalParentUuid: undefined,
  firstKeptEntryId: undefined,
  compactMetadata: undefined,
};

function parseLine(line: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? withoutCopies({ ...value, ...LEFT_OUT }) : undefined;
  } catch {
    return undefined;
  }
}

/** A message, or a line, which may be the message itself. */
function withoutCopies(fields: Json): Json {
  const { content } = fields;
  const blocks = Array.isArray(content) ? content.map(withoutCopy) : content;
  return {
    ...fields,
    content: blocks,
    usage: undefined,
    [COPIES.result]: undefined,
    [COPIES.line]: undefined,
  };
}

function withoutCopy(block: unknown): unknown {
  return isObject(block) ? { ...block, [COPIES.arguments]: undefined } : block;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
