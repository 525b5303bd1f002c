import { setImmediate as nextRound } from 'node:timers/promises';
import type { FollowingStorage, LocatedSession } from 'oc-context-cleaner';
import type { IndexDatabase } from '../index-db/index-database.ts';
import { type ExtractedLine, extractLine } from './extract-line.ts';
import type { SessionsPlace, SessionTraits } from './session-source.ts';
import { findFile, type SessionAddressInIndex, writeBatch } from './write-session.ts';

/** Of lines, in one transaction. Others wait no longer than it takes to write what they say. */
const BATCH_BYTES = 8 * 1024 * 1024;
/** For a process that has other things to do: it is blocked for about 10 ms. */
export const SMALL_BATCH_BYTES = 512 * 1024;

export interface SessionToIndex {
  readonly session: SessionAddressInIndex & Pick<LocatedSession, 'source'>;
  readonly traits: SessionTraits;
  readonly of: Pick<SessionsPlace, 'source' | 'root'>;
}

export interface IndexingOptions {
  readonly batchBytes?: number;
  /** Called with the bytes that were read so far. */
  readonly onBytes?: (bytes: number) => void;
  /** Ends it between two batches. The next one goes on from there. */
  readonly signal?: AbortSignal;
}

/** Reads what is new of one session into the index. Returns how many bytes that were. */
export async function indexSession(
  database: IndexDatabase,
  { session, traits, of }: SessionToIndex,
  following: FollowingStorage,
  { batchBytes = BATCH_BYTES, onBytes, signal }: IndexingOptions = {},
): Promise<number> {
  let bytes = 0;
  for (let isEnd = false; !isEnd && !signal?.aborted; ) {
    const known = await database.read(() => findFile(database, session));
    const lines: ExtractedLine[] = [];
    const read = await following.readLines(session, {
      from: known?.place,
      maxBytes: batchBytes,
      onLine: (line, position) => {
        bytes += line.length + 1;
        const extracted = extractLine(line, position);
        if (extracted !== undefined) lines.push(extracted);
      },
    });
    // It may have got another name, which the next catch-up sees.
    if (read === undefined) return bytes;
    const written = await database.write(() =>
      writeBatch(database, { session, traits, of, known, lines, ...read }),
    );
    // Where another process was faster, its place is read and this one goes on from there.
    isEnd = read.isEnd && written !== undefined;
    onBytes?.(bytes);
    // Reading and writing may be done without waiting for anything: others get their turn.
    await nextRound();
  }
  return bytes;
}
