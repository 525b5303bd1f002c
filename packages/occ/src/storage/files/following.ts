import { hash } from 'node:crypto';
import { type BigIntStats, constants, fstatSync, readSync, statSync } from 'node:fs';
import { OpenFile } from '@openbot/sessions/disk';
import { LineSplitter } from '@openbot/sessions/transcript';
import type {
  FollowingStorage,
  LinesRequest,
  ReadLines,
  ReadPlace,
  TranscriptState,
} from '../contract/following.ts';

export const fileFollowing: FollowingStorage = {
  async readStates(sessions) {
    return new Map(
      sessions.flatMap((session) => {
        const stats = statSync(session.path, { bigint: true, throwIfNoEntry: false });
        return stats?.isFile() ? [[session, stateOf(stats)] as const] : [];
      }),
    );
  },
  async readLines({ path }, request) {
    const handle = openIfThere(path);
    if (handle === undefined) return undefined;
    try {
      const stats = fstatSync(handle.fd, { bigint: true });
      return stats.isFile() ? await readLinesOf(handle, stateOf(stats), request) : undefined;
    } finally {
      handle.close();
    }
  },
};

/** An atomic replacement is another file. The number of a file alone is used again. */
function stateOf({ ino, birthtimeNs, size, mtimeNs }: BigIntStats): TranscriptState {
  // As Node computes the milliseconds of other stats, to the last bit.
  const updatedAt = Number(mtimeNs / BILLION) * 1000 + Number(mtimeNs % BILLION) / 1e6;
  return { generation: `${ino}-${birthtimeNs}`, size: Number(size), updatedAt };
}

const BILLION = 1_000_000_000n;

function openIfThere(path: string): OpenFile | undefined {
  try {
    // A pipe in the place of a file is not waited for.
    return new OpenFile(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

const CHUNK = 1024 * 1024;
/** Reading so little takes less time than asking another thread for it. */
const SMALL = 64 * 1024;

async function readLinesOf(
  handle: OpenFile,
  state: TranscriptState,
  { from, maxBytes = Number.POSITIVE_INFINITY, onLine }: LinesRequest,
): Promise<ReadLines> {
  const continues = from !== undefined && isStillThere(handle.fd, state, from);
  const start = continues ? from.position : 0;
  const splitter = new LineSplitter(
    {
      oversize: () => {},
      line: (bytes, begin, end, offset, terminated) => {
        const line = bytes.subarray(begin, end);
        if (begin === end) return;
        // Half a line is no JSON; a whole one that lacks its line feed is.
        if (!terminated) {
          if (!isJson(line)) return;
          unterminated = offset + line.length;
        }
        onLine(line, offset);
      },
    },
    undefined,
    start,
  );
  let unterminated = 0;
  const room = Buffer.allocUnsafe(Math.max(1, Math.min(CHUNK, maxBytes, state.size - start)));
  while (splitter.offset < state.size && splitter.lineStart - start < maxBytes) {
    const count = await fill(handle, room, splitter.offset, state.size);
    if (count === 0) break;
    splitter.push(room, count);
  }
  const isEnd = splitter.offset >= state.size;
  const position = splitter.lineStart;
  if (isEnd) splitter.finish();
  return { continues, place: placeAt(handle.fd, state, Math.max(position, unterminated)), isEnd, state };
}

async function fill(handle: OpenFile, room: Buffer, at: number, end: number): Promise<number> {
  const length = Math.min(room.length, end - at);
  if (length <= SMALL) return readSync(handle.fd, room, 0, length, at);
  return (await handle.read(room, 0, length, at)).bytesRead;
}

/** A file that was rewritten in place differs before its old end. */
const TAIL_BYTES = 4096;

function placeAt(fd: number, { generation }: TranscriptState, position: number): ReadPlace {
  const tail = Buffer.allocUnsafe(Math.min(position, TAIL_BYTES));
  const count = readSync(fd, tail, 0, tail.length, position - tail.length);
  return { generation, position, hash: hash('sha1', tail.subarray(0, count)) };
}

function isStillThere(fd: number, state: TranscriptState, from: ReadPlace): boolean {
  if (from.generation !== state.generation || from.position > state.size) return false;
  return placeAt(fd, state, from.position).hash === from.hash;
}

function isJson(line: Buffer): boolean {
  try {
    JSON.parse(line.toString('utf8'));
    return true;
  } catch {
    return false;
  }
}
