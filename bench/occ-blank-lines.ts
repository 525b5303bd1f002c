import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { GENERATED_ID, generateTranscript } from './generate-transcript.ts';
import type { BenchRow } from './measure.ts';
import { inTempFolder, MEGABYTE, OCC, peakOf } from './occ-command.ts';

const BLANK_LINES = 20_000_000;
/** Peak memory in MB of the whole process. One column entry for each line would take more than a gigabyte. */
const LIMIT = 160;

/** A session that some program filled with empty lines, after its conversation. */
export default function bench(): Promise<BenchRow[]> {
  return inTempFolder(async (folder) => {
    const sessions = join(folder, 'state', 'agents', 'main', 'sessions');
    await mkdir(sessions, { recursive: true, mode: 0o700 });
    const path = join(sessions, `${GENERATED_ID}.jsonl`);
    await generateTranscript(path, 1_000_000);
    const file = await open(path, 'a');
    try {
      const block = Buffer.alloc(1_000_000, '\n');
      for (let written = 0; written < BLANK_LINES; written += block.length) await file.write(block);
    } finally {
      await file.close();
    }
    const info = [OCC, 'info', GENERATED_ID, '--state-dir', join(folder, 'state')];
    const peak = (await peakOf(info, { HOME: folder })) / MEGABYTE;
    return [
      {
        name: `peak memory of occ info on ${BLANK_LINES / 1e6} million blank lines`,
        ours: `${peak.toFixed(0)} MB`,
        peer: `limit ${LIMIT} MB`,
        ratio: peak / LIMIT,
        limit: 1,
        better: 'lower',
      },
    ];
  });
}
