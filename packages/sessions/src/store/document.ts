import { isJsonObject } from '../entry/json-object.ts';
import { readSessionEntry } from '../entry/read-session-entry.ts';
import { OpenBotError } from '../errors.ts';
import { listMembers, skipSpace } from '../transcript/rewrite/json-text.ts';
import { findJsonFault } from '../transcript/skim/json-fault.ts';
import type { StoredEntry, StoredSession, UnreadableSession } from './contract.ts';
import { freezeJson } from './json-value.ts';
import { Pieces } from './pieces.ts';

/** One key and its value, shared by all versions of the document in which it is the same. */
export interface Member {
  readonly key: string;
  readonly value: unknown;
  entry?: StoredEntry;
}

/**
 * A store file in memory: its bytes, and the range of each entry in them. The bytes are kept so that a change costs what
 * changed, and so that everything else is written back exactly as it was found.
 */
export interface StoreDocument {
  readonly pieces: Pieces;
  /** The same in one. */
  readonly bytes: Buffer;
  readonly members: readonly Member[];
  /** Byte range of member i. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  /** Key to index. */
  readonly index: ReadonlyMap<string, number>;
  /** Whether every byte is accounted for by `members`: not so in a file that names a key twice. */
  readonly regular: boolean;
}

export const EMPTY_DOCUMENT: StoreDocument = indexMembers(Buffer.alloc(0), [], [], []);

export function makeDocument(pieces: Pieces, rest: Omit<StoreDocument, 'pieces' | 'bytes'>): StoreDocument {
  return {
    ...rest,
    pieces,
    get bytes() {
      return pieces.whole();
    },
  };
}

/** Reads a whole store. `path` is for the error message only. */
export function parseDocument(content: Buffer, path: string): StoreDocument {
  const bytes = withoutByteOrderMark(content);
  const value = parseObject(bytes, path);
  const { keys, starts, ends } = scanMembers(bytes);
  const members = keys.map((key) => ({ key, value: value[key] }));
  return indexMembers(bytes, members, starts, ends);
}

/** Where each member (`"key": value`) of a JSON object begins and ends. */
interface MemberSpans {
  readonly keys: string[];
  readonly starts: number[];
  readonly ends: number[];
}

/** Finds the members of the outermost object. The bytes must be known to be valid JSON: nothing is checked again. */
export function scanMembers(bytes: Buffer): MemberSpans {
  // One character a byte, so that places in the text are places in the bytes.
  const text = bytes.toString('latin1');
  const members = listMembers(text, skipSpace(text, 0));
  return {
    keys: members.map(({ keyStart, start }) => {
      const keyEnd = text.lastIndexOf('"', start - 1) + 1;
      return JSON.parse(bytes.toString('utf8', keyStart, keyEnd)) as string;
    }),
    starts: members.map(({ keyStart }) => keyStart),
    ends: members.map(({ end }) => end),
  };
}

export function indexMembers(
  content: Buffer | Pieces,
  members: Member[],
  starts: number[],
  ends: number[],
): StoreDocument {
  const pieces = content instanceof Pieces ? content : new Pieces([content]);
  const index = new Map(members.map(({ key }, at) => [key, at]));
  if (index.size === members.length) {
    return makeDocument(pieces, { members, starts, ends, index, regular: true });
  }
  // As in every JSON reader the last one of equal keys counts.
  const kept = [...index.values()].toSorted((a, b) => a - b);
  return makeDocument(pieces, {
    members: kept.map((at) => members[at]!),
    starts: kept.map((at) => starts[at]!),
    ends: kept.map((at) => ends[at]!),
    index: new Map(kept.map((at, position) => [members[at]!.key, position])),
    regular: false,
  });
}

/** The frozen entry of a member; undefined when its value is none. */
export function entryOf(member: Member): StoredEntry | undefined {
  if (member.entry === undefined && isJsonObject(member.value)) {
    member.entry = freezeJson(readSessionEntry(freezeJson(member.value)));
  }
  return member.entry;
}

export function getEntry(document: StoreDocument, key: string): StoredEntry | undefined {
  const at = document.index.get(key);
  if (at === undefined) return undefined;
  const entry = entryOf(document.members[at]!);
  if (entry === undefined) {
    const reason = describeValue(document.members[at]!.value);
    throw new OpenBotError(
      'STORE_ENTRY_INVALID',
      `The value under ${key} is not a session entry but ${reason}`,
      {
        hint: 'It was not changed. Repair the file by hand, or delete the entry.',
      },
    );
  }
  return entry;
}

export function listEntries(document: StoreDocument): StoredSession[] {
  const sessions: StoredSession[] = [];
  for (const member of document.members) {
    const entry = entryOf(member);
    if (entry !== undefined) sessions.push({ key: member.key, entry });
  }
  return sessions;
}

export function listUnreadable(document: StoreDocument): UnreadableSession[] {
  return document.members
    .filter((member) => !isJsonObject(member.value))
    .map(({ key, value }) => ({ key, reason: describeValue(value) }));
}

/** The object that a store file holds. `path` is for the error message only. */
export function readObject(content: Buffer, path: string): { [key: string]: unknown } {
  return parseObject(withoutByteOrderMark(content), path);
}

export function parseObject(bytes: Buffer, path: string): { [key: string]: unknown } {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw parseFailed(bytes, path);
  }
  if (isJsonObject(value)) return value;
  throw new OpenBotError(
    'STORE_NOT_AN_OBJECT',
    `${path} must hold one JSON object, but holds ${describeValue(value)}`,
    {
      hint: 'It was not changed. Move it away to start with an empty store.',
    },
  );
}

function parseFailed(bytes: Buffer, path: string): OpenBotError {
  const fault = findJsonFault(bytes) ?? { offset: 0, line: 1, column: 1, reason: 'the text is not JSON' };
  const where = `line ${fault.line}, column ${fault.column} (byte ${fault.offset} of ${bytes.length})`;
  const empty = bytes.length === 0;
  return new OpenBotError(
    'STORE_PARSE_FAILED',
    empty
      ? `${path} is empty, so it is not a session store`
      : `${path} is not valid JSON at ${where}: ${fault.reason}`,
    {
      hint: empty
        ? 'A write was probably cut short. Restore a backup, or remove the file to start with an empty store.'
        : 'It was not changed. Repair it or restore a backup.',
    },
  );
}

function describeValue(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}

function withoutByteOrderMark(bytes: Buffer): Buffer {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}
