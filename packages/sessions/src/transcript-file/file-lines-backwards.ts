import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { type BackwardLine, readLinesBackwards } from './backward-lines.ts';

/** The lines that a file has now, last one first. No more of it is read than what is asked for. */
export async function* readFileLinesBackwards(path: string): AsyncGenerator<BackwardLine> {
  const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    yield* readLinesBackwards(handle, (await handle.stat()).size);
  } finally {
    await handle.close();
  }
}
