import { activePath } from '@openbot/sessions';
import { type Context, contextOf } from '@openbot/sessions/transcript';
import type { SessionLines } from '../storage/contract/rewriting.ts';

/** What the model is given of a state. */
export interface GivenLines extends SessionLines {
  readonly context: Context;
}

export function giveLines(lines: SessionLines): GivenLines {
  const { transcript } = lines;
  return { ...lines, context: contextOf(transcript, activePath(transcript).entries) };
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
    return value === undefined ? line : JSON.stringify({ ...value, ...withoutFigures(value.message) });
  });
  return `${transcript.idOf(index) ?? ''} ${text.join(' ')}`;
}

type Json = Readonly<Record<string, unknown>>;

/** Links that a rewrite changes, and the second copy of a result. */
const LEFT_OUT = {
  parentId: undefined,
  parentUuid: undefined,
  logicalParentUuid: undefined,
  firstKeptEntryId: undefined,
  compactMetadata: undefined,
  toolUseResult: undefined,
};

function parseLine(line: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? { ...value, ...LEFT_OUT } : undefined;
  } catch {
    return undefined;
  }
}

function withoutFigures(message: unknown): Json {
  return isObject(message) ? { message: { ...message, usage: undefined, details: undefined } } : {};
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
