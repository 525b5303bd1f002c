import { indexMembers, type Member, makeDocument, type StoreDocument } from './document.ts';
import { Pieces } from './pieces.ts';
import { printEntry } from './print-entry.ts';

/** What becomes of each key: a new entry, or nothing. */
export type EntryChanges = ReadonlyMap<string, object | undefined>;

/** The document with the changes made. Bytes of all other entries are carried over; new entries come last. */
export function applyChanges(document: StoreDocument, changes: EntryChanges): StoreDocument {
  const added: [string, object][] = [];
  const replaced = new Map<number, object>();
  let removes = false;
  for (const [key, entry] of changes) {
    const at = document.index.get(key);
    if (entry === undefined) removes ||= at !== undefined;
    else if (at === undefined) added.push([key, entry]);
    else replaced.set(at, entry);
  }
  const canSplice = document.regular && !removes && document.members.length > 0;
  return canSplice ? splice(document, replaced, added) : compose(document, changes, replaced, added);
}

function splice(
  document: StoreDocument,
  replaced: ReadonlyMap<number, object>,
  added: readonly [string, object][],
): StoreDocument {
  const members = document.members.slice();
  const starts = document.starts.slice();
  const ends = document.ends.slice();
  const pieces: Buffer[] = [];
  let copied = 0;
  let shift = 0;
  let moved = 0;
  const moveUpTo = (at: number) => {
    if (shift !== 0) {
      for (let i = moved; i < at; i++) {
        starts[i] = starts[i]! + shift;
        ends[i] = ends[i]! + shift;
      }
    }
    moved = at;
  };
  for (const at of [...replaced.keys()].toSorted((a, b) => a - b)) {
    const start = document.starts[at]!;
    const end = document.ends[at]!;
    moveUpTo(at);
    const { member, text } = printMember(members[at]!.key, replaced.get(at)!);
    pieces.push(...document.pieces.slice(copied, start), text);
    copied = end;
    members[at] = member;
    starts[at] = start + shift;
    shift += text.length - (end - start);
    ends[at] = end + shift;
    moved = at + 1;
  }
  moveUpTo(members.length);
  const last = document.ends.at(-1)!;
  pieces.push(...document.pieces.slice(copied, last));
  let length = last + shift;
  for (const [key, entry] of added) {
    const { member, text } = printMember(key, entry);
    pieces.push(SEPARATOR, text);
    members.push(member);
    starts.push(length + SEPARATOR.length);
    length += SEPARATOR.length + text.length;
    ends.push(length);
  }
  pieces.push(...document.pieces.slice(last));
  const content = new Pieces(pieces);
  if (added.length > 0) return indexMembers(content, members, starts, ends);
  return makeDocument(content, { members, starts, ends, index: document.index, regular: true });
}

const [OPENING, SEPARATOR, CLOSING] = ['{\n  ', ',\n  ', '\n}'].map((text) => Buffer.from(text)) as [
  Buffer,
  Buffer,
  Buffer,
];

function compose(
  document: StoreDocument,
  changes: EntryChanges,
  replaced: ReadonlyMap<number, object>,
  added: readonly [string, object][],
): StoreDocument {
  const members: Member[] = [];
  const texts: Buffer[] = [];
  document.members.forEach((member, at) => {
    const entry = replaced.get(at);
    if (entry !== undefined) {
      const printed = printMember(member.key, entry);
      members.push(printed.member);
      texts.push(printed.text);
    } else if (!changes.has(member.key)) {
      members.push(member);
      texts.push(document.bytes.subarray(document.starts[at], document.ends[at]));
    }
  });
  for (const [key, entry] of added) {
    const printed = printMember(key, entry);
    members.push(printed.member);
    texts.push(printed.text);
  }
  if (members.length === 0) return indexMembers(Buffer.from('{}'), [], [], []);
  const starts: number[] = [];
  const ends: number[] = [];
  let length = 0;
  const pieces = texts.flatMap((text, at) => {
    const before = at === 0 ? OPENING : SEPARATOR;
    starts.push(length + before.length);
    length += before.length + text.length;
    ends.push(length);
    return [before, text];
  });
  return indexMembers(Buffer.concat([...pieces, CLOSING]), members, starts, ends);
}

function printMember(key: string, entry: object): { member: Member; text: Buffer } {
  const { text, value } = printEntry(key, entry);
  return { member: { key, value }, text: Buffer.from(text) };
}
