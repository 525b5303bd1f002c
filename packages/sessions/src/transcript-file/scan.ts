import { type FileHandle, open } from 'node:fs/promises';
import { OpenBotError } from '../errors.ts';
import { TranscriptBuilder } from '../transcript/builder.ts';
import { LineSplitter } from '../transcript/lines.ts';
import type { Transcript } from '../transcript/transcript.ts';

const CHUNK = 1024 * 1024;

/**
 * Reads a transcript of any size and age into its columns. Memory does not depend on how long the lines are together, only on how many there are. Broken lines are
 * no error: they are entries too, and named in `problems`.
 */
export async function scanTranscriptFile(path: string): Promise<Transcript> {
  const handle = await openForReading(path);
  try {
    const builder = new TranscriptBuilder();
    const splitter = new LineSplitter(builder);
    await readAhead(handle, (chunk, count) => splitter.push(chunk, count));
    splitter.finish();
    return builder.finish(splitter.offset);
  } catch (cause) {
    if (cause instanceof OpenBotError) throw cause;
    throw new OpenBotError(
      'TRANSCRIPT_UNREADABLE',
      `Cannot read transcript ${path}: ${(cause as Error).message}`,
      {
        cause,
      },
    );
  } finally {
    await handle.close();
  }
}

async function openForReading(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') {
      throw new OpenBotError('TRANSCRIPT_NOT_FOUND', `No transcript at ${path}`, { cause });
    }
    throw new OpenBotError(
      'TRANSCRIPT_UNREADABLE',
      `Cannot open transcript ${path}: ${(cause as Error).message}`,
      {
        hint: 'Check that it is a file and that you may read it.',
        cause,
      },
    );
  }
}

/** Two chunks in turn: the disk fills one while the other is looked at. */
async function readAhead(handle: FileHandle, take: (chunk: Buffer, count: number) => void): Promise<void> {
  let current = Buffer.allocUnsafeSlow(CHUNK);
  let next = Buffer.allocUnsafeSlow(CHUNK);
  let reading = handle.read(current, 0, CHUNK, null);
  for (;;) {
    const { bytesRead } = await reading;
    if (bytesRead === 0) return;
    reading = handle.read(next, 0, CHUNK, null);
    try {
      take(current, bytesRead);
    } catch (error) {
      // The read under way still writes into memory of ours.
      await reading.catch(() => {});
      throw error;
    }
    [current, next] = [next, current];
  }
}
