import type { ReadableFile } from '../disk/open-file.ts';
import { LineSplitter } from '../transcript/lines.ts';
import { type BackwardLine, readLinesBackwards, readRange } from './file-parts.ts';
import { readTopLevelStrings } from './giant-line.ts';
import { isLinearVersion, type StoredHeader } from './header.ts';

const CHUNK = 256 * 1024;

/** Whether the file holds an entry of this id. Reads the file once, line by line. */
export async function hasEntryId(handle: ReadableFile, size: number, id: string): Promise<boolean> {
  const wanted = Buffer.from(JSON.stringify(id));
  let found = false;
  const splitter = new LineSplitter({
    oversize: () => {},
    line: (bytes, start, end) => {
      const line = bytes.subarray(start, end);
      found ||= line.includes(wanted) && idOf(line) === id;
    },
  });
  for (let at = 0; at < size && !found; at += CHUNK) {
    splitter.push(await readRange(handle, at, Math.min(size, at + CHUNK)));
  }
  if (!found) splitter.finish();
  return found;
}

function idOf(line: Buffer): unknown {
  try {
    const entry: unknown = JSON.parse(line.toString('utf8'));
    const isEntry =
      typeof entry === 'object' && entry !== null && (entry as { type?: unknown }).type !== 'session';
    return isEntry ? (entry as { id?: unknown }).id : undefined;
  } catch {
    return undefined;
  }
}

/** How the last writer left the last line of a file. */
export type TailState =
  /** Ended by a line feed, or nothing there. */
  | 'whole'
  /** A finished line that lacks only its line feed. */
  | 'unterminated'
  /** Half a line, or what a power cut left: kept as a line of its own that readers skip. */
  | 'torn';

export interface Tail {
  state: TailState;
  /** Bytes of the last line when it is not whole. */
  openBytes: number;
  /**
   * What the next entry follows: an id; null in an empty tree; undefined when the lines before have no ids to name.
   */
  leafId: string | null | undefined;
  /** The next entry gets no id either: a version 1 file, in which readers number the lines themselves. */
  linear: boolean;
}

interface Line {
  id: string | undefined;
  isHeader: boolean;
}

/** Reads from the end as far back as the last entry with an id; broken lines are passed over. */
export async function inspectTail(handle: ReadableFile, size: number, header: StoredHeader): Promise<Tail> {
  const ended = size === 0 || (await readRange(handle, size - 1, size))[0] === 0x0a;
  const tail: Tail = { state: 'whole', openBytes: 0, leafId: null, linear: isLinearVersion(header) };
  let isFirst = true;
  for await (const line of readLinesBackwards(handle, size)) {
    const entry = await readEntry(handle, line);
    if (isFirst && !ended) {
      tail.state = entry === undefined ? 'torn' : 'unterminated';
      tail.openBytes = line.end - line.start;
    }
    isFirst = false;
    if (entry === undefined || entry.isHeader) continue;
    if (entry.id !== undefined) return { ...tail, leafId: entry.id, linear: false };
    tail.leafId = undefined;
    if (tail.linear) return tail;
  }
  return tail;
}

async function readEntry(handle: ReadableFile, line: BackwardLine): Promise<Line | undefined> {
  const fields = line.bytes === undefined ? await readGiant(handle, line) : parseObject(line.bytes);
  if (fields === undefined) return undefined;
  const { id, type } = fields;
  return { id: typeof id === 'string' && id !== '' ? id : undefined, isHeader: type === 'session' };
}

function readGiant(handle: ReadableFile, line: BackwardLine): Promise<Record<string, unknown> | undefined> {
  return readTopLevelStrings(handle, line.start, line.end, ['id', 'type']);
}

function parseObject(bytes: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
