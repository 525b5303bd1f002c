import type { FileHandle } from 'node:fs/promises';
import { ClaudeLineReader, withOpenTranscript } from '@openbot/sessions/lines';
import { HeaderTally } from './header-tally.ts';
import type { JsonlHeader } from './jsonl-header.ts';

/** Read even if the signal is aborted already, and at least one line: each search gets further than the one before. */
const LEAST_BYTES = 8 * 1024 * 1024;

interface TallyRange {
  /** Where to begin: the start of a line. */
  readonly from?: number;
  readonly to: number;
  readonly onBytes?: (chunk: Buffer, offset: number) => void;
  /**
   * Called before a last line without a line end is counted: it may be incomplete, and is read again when the file has
   * grown.
   */
  readonly onHalfLine?: () => void;
  /** Stops the reading. */
  readonly signal?: AbortSignal;
}

interface TalliedLines {
  /** The position after the last line end. */
  readonly resumeAt: number;
  /** Whether the signal stopped the reading. */
  readonly isEnded: boolean;
}

/** Counts the lines of a transcript in constant memory. */
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

interface ParseHeaderOptions {
  /** Reused for several files, to save memory. */
  readonly reader?: ClaudeLineReader;
}

/** Reads all lines of a transcript. Only the ids of their messages are kept. */
export function parseJsonlHeader(path: string, options: ParseHeaderOptions = {}): Promise<JsonlHeader> {
  return withOpenTranscript(path, async (handle, { size }) => {
    const tally = new HeaderTally();
    await tallyLines(handle, options.reader ?? new ClaudeLineReader(), tally, { to: Number(size) });
    return tally.header();
  });
}
