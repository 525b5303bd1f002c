import { readFileSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { writeFileAtomic } from '@openbot/sessions/disk';
import type { JsonlHeader } from '../scan/jsonl-header.ts';
import type { FileMark, GrowthState, IndexEntry } from './index-entry.ts';

/** Increase it when the meaning of entries changes: other versions are not read. */
export const INDEX_VERSION = 7;

const LINE_FEED = 0x0a;
const TAB = 0x09;

/** The part of an entry that every search needs; the rest of its line is parsed only if the file has grown. */
interface EntryHead {
  readonly id: string;
  readonly mark: FileMark;
  readonly isSettled: boolean;
  readonly header: JsonlHeader;
}

/**
 * The entries in an index file by session id. A line contains a checksum, the head, the growth state and the two tables
 * of ids of one entry, separated by tabs. A damaged line or one of another version is left out, and its session is read
 * again.
 */
export function readIndexFile(path: string, folder: string): Map<string, StoredEntry> {
  const entries = new Map<string, StoredEntry>();
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch {
    return entries;
  }
  const title = Buffer.from(titleOf(folder));
  if (!bytes.subarray(0, title.length).equals(title)) return entries;
  for (let at = title.length; at < bytes.length; ) {
    const end = bytes.indexOf(LINE_FEED, at);
    if (end < 0) break;
    const entry = StoredEntry.read(bytes.subarray(at, end + 1));
    if (entry !== undefined) entries.set(entry.id, entry);
    at = end + 1;
  }
  return entries;
}

/**
 * Readers see the old file or the new one. It is not flushed to the disk: damage by a power cut is detected by the
 * checksums.
 */
export async function writeIndexFile(
  path: string,
  folder: string,
  entries: Iterable<StoredEntry>,
): Promise<void> {
  // Line by line: entries of large sessions are large, and must not be in memory twice.
  const write = async (handle: FileHandle) => {
    await handle.writeFile(titleOf(folder));
    for (const { line } of entries) await handle.writeFile(line);
  };
  await writeFileAtomic(path, write, { io: { syncFile: async () => {}, syncFolder: async () => {} } });
}

/** An entry with its line in the file. */
export class StoredEntry implements IndexEntry {
  readonly id: string;
  readonly mark: FileMark;
  readonly isSettled: boolean;
  readonly header: JsonlHeader;
  readonly line: Buffer;

  private constructor(head: EntryHead, line: Buffer) {
    this.id = head.id;
    this.mark = head.mark;
    this.isSettled = head.isSettled;
    this.header = head.header;
    this.line = line;
  }

  static make(head: EntryHead, growth: GrowthState): StoredEntry {
    const { id, mark, isSettled, header } = head;
    const { people, messages, ...tally } = growth.tally;
    const texts = [JSON.stringify({ id, mark, isSettled, header }), JSON.stringify({ ...growth, tally })];
    const room = checksumOf(Buffer.alloc(0)).length;
    const sizes = [...texts.map((text) => Buffer.byteLength(text)), ...[people, messages].map(sizeInBase64)];
    const line = Buffer.allocUnsafe(sizes.reduce((sum, size) => sum + size + 1, room));
    let at = room;
    for (const text of texts) {
      at += line.write(text, at);
      line[at++] = TAB;
    }
    at = writeInBase64(people, line, at);
    line[at++] = TAB;
    at = writeInBase64(messages, line, at);
    line[at] = LINE_FEED;
    line.write(checksumOf(line.subarray(room)));
    return new StoredEntry(head, line);
  }

  static read(line: Buffer): StoredEntry | undefined {
    const start = line.indexOf(TAB) + 1;
    const body = line.subarray(start);
    if (start === 0 || line.toString('latin1', 0, start) !== checksumOf(body)) return undefined;
    try {
      const head = JSON.parse(body.toString('utf8', 0, body.indexOf(TAB))) as EntryHead;
      return new StoredEntry(head, line);
    } catch {
      return undefined;
    }
  }

  growth(): GrowthState {
    const ends: number[] = [];
    for (let at = this.line.indexOf(TAB); at >= 0; at = this.line.indexOf(TAB, at + 1)) ends.push(at);
    const part = (number: number, end = ends[number + 1]!) => this.line.subarray(ends[number]! + 1, end);
    const growth = JSON.parse(part(1).toString('utf8')) as GrowthState;
    const tables = { people: readBase64(part(2)), messages: readBase64(part(3, this.line.length - 1)) };
    return { ...growth, tally: { ...growth.tally, ...tables } };
  }
}

function checksumOf(body: Buffer): string {
  return `${crc32(body).toString(16).padStart(8, '0')}\t`;
}

/** Contains the folder, because the names of two folders can give the same file name. */
function titleOf(folder: string): string {
  return `openbot claude sessions ${INDEX_VERSION} ${JSON.stringify(folder)}\n`;
}

/** The version and the folder in the first line of an index of any version. */
export function readTitle(text: string): { readonly version: number; readonly folder: string } | undefined {
  const [, version, folder] = /^openbot claude sessions (\d+) (".*")\n/.exec(text) ?? [];
  return folder === undefined
    ? undefined
    : { version: Number(version), folder: JSON.parse(folder) as string };
}

/** A multiple of three, so that encoded pieces can be joined. */
const PIECE = 48 * 1024;

export function sizeInBase64({ length }: Buffer): number {
  return Math.ceil(length / 3) * 4;
}

/**
 * Encodes bytes piece by piece, because tables of megabytes must not be in memory twice. Returns the position after
 * them.
 */
export function writeInBase64(bytes: Buffer, into: Buffer, at: number): number {
  let end = at;
  for (let from = 0; from < bytes.length; from += PIECE) {
    end += into.write(bytes.toString('base64', from, from + PIECE), end, 'latin1');
  }
  return end;
}

export function readBase64(text: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(Math.floor(text.length / 4) * 3);
  const piece = (PIECE / 3) * 4;
  let end = 0;
  for (let from = 0; from < text.length; from += piece) {
    end += bytes.write(text.toString('latin1', from, from + piece), end, 'base64');
  }
  return bytes.subarray(0, end);
}
