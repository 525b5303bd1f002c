import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { reportProgress } from '../progress.ts';
import { TranscriptBuilder } from '../transcript/builder.ts';
import { LineSplitter } from '../transcript/lines.ts';
import type { Transcript } from '../transcript/transcript.ts';
import { describeFileFault, notAFile } from './file-faults.ts';
import { readAhead } from './file-parts.ts';
import { readTopLevelStrings } from './giant-line.ts';

const CHUNK = 1024 * 1024;

/**
 * Reads a transcript of any size and age into its columns. Memory depends on how many lines there are, not on how
 * long they are together. Broken lines are no error: they are entries too, and named in `problems`.
 * @param rules `openclaw` for lines that only OpenClaw wrote
 * @param former a former state of the same transcript: ids that both have are held once
 */
export async function scanTranscriptFile(
  path: string,
  rules?: 'openclaw',
  former?: Transcript,
): Promise<Transcript> {
  try {
    const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      return await scanOpenTranscript(handle, path, rules, former);
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw describeFileFault(path, error, 'read');
  }
}

/** As scanTranscriptFile, of the very file that the caller has open: it stays the same one when it is replaced. */
export async function scanOpenTranscript(
  handle: FileHandle,
  path: string,
  rules?: 'openclaw',
  former?: Transcript,
): Promise<Transcript> {
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw notAFile(path);
    return await scan(handle, stats.size, rules, former);
  } catch (error) {
    throw describeFileFault(path, error, 'read');
  }
}

async function scan(
  handle: FileHandle,
  size: number,
  rules: 'openclaw' | undefined,
  former: Transcript | undefined,
): Promise<Transcript> {
  const builder = new TranscriptBuilder(undefined, former?.strings);
  const splitter = new LineSplitter(builder);
  // Memory outside the heap makes the garbage collector run: a short file takes little of it.
  const room = Math.min(CHUNK, roundUp(size + 1, 64 * 1024));
  const chunks = [Buffer.allocUnsafeSlow(room), Buffer.allocUnsafeSlow(room)] as const;
  await readAhead(handle, chunks, 0, Number.POSITIVE_INFINITY, (chunk, count, offset) => {
    splitter.push(chunk, count);
    reportProgress({ share: Math.min(1, (offset + count) / size) });
  });
  splitter.finish();
  for (const { line, start, end } of builder.oversizeLines) {
    const fields = await readTopLevelStrings(handle, start, end, builder.placeFields);
    if (fields !== undefined) builder.identify(line, fields);
  }
  return builder.finish(splitter.offset, rules);
}

function roundUp(value: number, step: number): number {
  return Math.ceil(value / step) * step;
}
