import type { FileHandle } from 'node:fs/promises';
import { ClaudeLineReader, withOpenTranscript } from '@openbot/sessions/lines';
import { HeaderTally } from './header-tally.ts';
import type { JsonlHeader } from './jsonl-header.ts';

/** Who has no time at all still reads as much, and at least one line: each look comes further than the one before it. */
const LEAST_BYTES = 8 * 1024 * 1024;

export interface TallyRange {
  /** The beginning of a line. */
  readonly from?: number;
  readonly to: number;
  readonly onBytes?: (chunk: Buffer, offset: number) => void;
  /** Called before a last line without an end is counted: it may be half of one, to be read again when there is more. */
  readonly onHalfLine?: () => void;
  /** Ends the reading. */
  readonly signal?: AbortSignal;
}

export interface TalliedLines {
  /** Behind the last line end. */
  readonly resumeAt: number;
  /** By the signal. */
  readonly isEnded: boolean;
}

/** Counts the lines of a transcript, however long it is. */
export async function tallyLines(
  handle: FileHandle,
  reader: ClaudeLineReader,
  tally: HeaderTally,
  { from = 0, to, onBytes, onHalfLine, signal }: TallyRange,
): Promise<TalliedLines> {
  let readTo = from;
  let isEnded = false;
  const resumeAt = await reader.read(
    handle,
    {
      bytes(chunk, offset) {
        readTo = offset + chunk.length;
        onBytes?.(chunk, offset);
      },
      line(line) {
        if (!line.terminated) onHalfLine?.();
        tally.add(line);
      },
    },
    {
      from,
      to,
      isEnough() {
        isEnded = readTo - from >= LEAST_BYTES && signal?.aborted === true;
        return isEnded;
      },
    },
  );
  return { resumeAt, isEnded };
}

export interface ParseHeaderOptions {
  /** Serves for one file after another, and spares them its memory. */
  readonly reader?: ClaudeLineReader;
}

/** Reads what a transcript says of its session, every line of it. What is kept of a line is the id of its message. */
export function parseJsonlHeader(path: string, options: ParseHeaderOptions = {}): Promise<JsonlHeader> {
  return withOpenTranscript(path, async (handle, { size }) => {
    const tally = new HeaderTally();
    await tallyLines(handle, options.reader ?? new ClaudeLineReader(), tally, { to: Number(size) });
    return tally.header();
  });
}
