import { closeSync, openSync } from 'node:fs';
import { OpenBotError, scanTranscriptFile } from '@openbot/sessions';
import type { DatabaseTranscript } from '@openbot/sessions/openclaw-database';
import { readKeptLine } from './restored-lines.ts';

/** Reads a backup as what is to be rows of a database. Refused is what they could not hold. */
export async function withKeptLines<T>(
  path: string,
  use: (lines: DatabaseTranscript) => Promise<T>,
): Promise<T> {
  const transcript = await scanTranscriptFile(path, 'openclaw');
  const [broken] = transcript.problems;
  if (broken !== undefined) throw unsupported(path, `line ${broken.line} cannot be read`);
  if (transcript.hasDuplicates) throw unsupported(path, 'two lines have the same id');
  const file = openSync(path, 'r');
  const readBytes = (index: number) => readKeptLine({ path, file, transcript }, index);
  try {
    return await use({
      transcript,
      seqs: Array.from({ length: transcript.length }, (_, index) => index),
      readBytes,
      readLine: (index) => readBytes(index).toString('latin1'),
    });
  } finally {
    closeSync(file);
  }
}

function unsupported(path: string, why: string): OpenBotError {
  return new OpenBotError('SESSION_UNSUPPORTED', `${path} cannot be put into a database: ${why}`, {
    hint: 'Nothing was written. With --output the clone is written to a file, as it is',
  });
}
