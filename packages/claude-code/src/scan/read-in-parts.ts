import type { FileHandle } from 'node:fs/promises';
import type { ClaudeLineReader } from '@openbot/sessions/lines';
import type { HeaderTally } from './header-tally.ts';

/** With each part the reader can let go of the ids that it met. */
const PART = 8 * 1024 * 1024;

export interface PartsRange {
  /** The beginning of a line. */
  readonly from?: number;
  readonly to: number;
  readonly onBytes?: (chunk: Buffer, offset: number) => void;
  /** Called before a last line without an end is counted: it may be half of one, to be read again when there is more. */
  readonly onHalfLine?: () => void;
  /** Ends the reading behind a part. Not before the first: each reading comes further than the one before it. */
  readonly signal?: AbortSignal | undefined;
}

export interface PartsRead {
  /** Behind the last line end. */
  readonly resumeAt: number;
  /** By the signal. */
  readonly isEnded: boolean;
}

/** Counts the lines of a transcript, however long it is, a part at a time. */
export async function readInParts(
  handle: FileHandle,
  reader: ClaudeLineReader,
  tally: HeaderTally,
  { from = 0, to, onBytes, onHalfLine, signal }: PartsRange,
): Promise<PartsRead> {
  let resumeAt = from;
  let isEnded = false;
  for (let end = from, room = PART; end < to && !isEnded; ) {
    end = Math.min(resumeAt + room, to);
    const start = resumeAt;
    resumeAt = await reader.read(
      handle,
      {
        ...(onBytes === undefined ? {} : { bytes: onBytes }),
        line(line) {
          if (!line.terminated) {
            // The rest of it is in the next part.
            if (end < to) return;
            onHalfLine?.();
          }
          tally.add(line);
        },
      },
      { from: start, to: end },
    );
    // A line that is longer than a part needs a longer one.
    room = resumeAt === start ? room * 2 : PART;
    isEnded = end < to && signal?.aborted === true;
  }
  return { resumeAt, isEnded };
}
