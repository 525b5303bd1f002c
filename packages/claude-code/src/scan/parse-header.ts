import { ClaudeLineReader, withOpenTranscript } from '@openbot/sessions/lines';
import { HeaderTally } from './header-tally.ts';
import type { JsonlHeader } from './jsonl-header.ts';
import { tallyLines } from './tally-lines.ts';

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
