import { contextTokens, scanTranscriptFile } from '@openbot/sessions';
import { findOpenclawFigure } from '@openbot/sessions/lines';
import { readFileLinesBackwards } from '@openbot/sessions/transcript';

/** Beyond this the whole transcript is as quick to read. */
const TAIL_BYTES = 4 * 1024 * 1024;

/** Tokens of the context of a transcript. Reads its end, and all of it only where the end has no figure that holds. */
export async function measureTranscript(path: string): Promise<number> {
  try {
    const figure = findOpenclawFigure(await readTail(path));
    return figure?.tokens ?? contextTokens(await scanTranscriptFile(path)).tokens;
  } catch (error) {
    if (isMissing(error)) return 0;
    throw error;
  }
}

/** The last lines, parsed, up to the last message with a figure. */
async function readTail(path: string): Promise<unknown[]> {
  const lines: unknown[] = [];
  let bytes = 0;
  for await (const line of readFileLinesBackwards(path)) {
    bytes += line.end - line.start;
    const entry = parse(line.bytes);
    lines.push(entry);
    // A figure further back may be the one that counts where this one is of a branch or a failed message.
    if (bytes > TAIL_BYTES || (hasFigure(entry) && findOpenclawFigure(lines) !== undefined)) break;
  }
  return lines;
}

function hasFigure(entry: unknown): boolean {
  return (entry as { message?: { usage?: unknown } } | undefined)?.message?.usage !== undefined;
}

function parse(bytes: Buffer | undefined): unknown {
  try {
    return bytes === undefined ? undefined : JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

function isMissing(error: unknown): boolean {
  const { code, cause } = error as { code?: string; cause?: { code?: string } };
  return code === 'ENOENT' || cause?.code === 'ENOENT';
}
